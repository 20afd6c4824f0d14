import type { Side } from "@mqb/core/plugin";

/** A middleware of the table of order. */
export interface Row {
  /** A configuration under which every message passes, whatever the other middleware of the pair has made of it. */
  readonly config: unknown;
  /** On an input, what it takes in is what this middleware makes on an output, with the configuration here. */
  readonly undoes?: { readonly name: string; readonly config: unknown };
}

const KEY = { key: Buffer.alloc(32, 7).toString("base64") };
const GZIP = { algorithm: "gzip" };

/**
 * One row for every middleware that there is; the test of the table fails when one is missing. The sides come from the
 * definitions.
 */
export const ROWS: Readonly<Record<string, Row>> = {
  aggregate: {
    config: {
      consistency: "single_writer",
      key: "${metadata:n}",
      into: "total",
      fields: { n: "count" },
      on_error: "skip",
    },
  },
  buffer: { config: { max_messages: 1, max_delay_ms: 0 } },
  compression: { config: GZIP, undoes: { name: "compression", config: GZIP } },
  cookie_jar: { config: {} },
  custom_one: { config: {} },
  deduplication: { config: { store: "memory://", ttl_seconds: 60, key: "${metadata:n}" } },
  delay: { config: { delay_ms: 0 } },
  dlq: { config: { endpoint: null } },
  encryption: { config: KEY, undoes: { name: "encryption", config: KEY } },
  filter: { config: 'meta.n != "none"' },
  id: { config: "${metadata:n}" },
  limiter: { config: { messages_per_second: 1_000_000 } },
  lookup: { config: { from: { static: { body: "{}", raw: true } }, into: "$" } },
  metrics: { config: {} },
  otel: { config: {} },
  pack: { config: {} },
  random_panic: { config: {} },
  retry: { config: {} },
  timeout: { config: { timeout_ms: 60_000 } },
  transform: { config: { mapping: { n: "$.n" }, on_error: "pass_through" } },
  unpack: { config: {}, undoes: { name: "pack", config: {} } },
  weak_join: { config: { group_by: "n", expected_count: 1, timeout_ms: 60_000 } },
};

/** As a user writes it. */
export function entry(name: string): unknown {
  return { [name]: ROWS[name]!.config };
}

/** The output list that writes what an input list reads: its mirror. */
export function mirrored(list: readonly string[]): unknown[] {
  return list
    .toReversed()
    .flatMap((name) => ROWS[name]!.undoes ?? [])
    .map(({ name, config }) => ({ [name]: config }));
}

export const SIDES: readonly Side[] = ["input", "output"];
