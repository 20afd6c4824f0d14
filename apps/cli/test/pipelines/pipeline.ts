import { integer, pick, type Random } from "@mqb/testkit";
import { some } from "./random.ts";

/** A route as drawn, and what it does to the messages of the source. */
export interface Pipeline {
  readonly input: readonly object[];
  readonly output: readonly object[];
  /** What puts messages into another form on the way out, and what takes it back: they are read over a second route. */
  readonly wire: { readonly out: readonly object[]; readonly in: readonly object[] };
  readonly shape: "plain" | "switch" | "fanout";
  /** The source commits positions, which cover what is before them. */
  readonly ordered: boolean;
  readonly concurrency: number;
  readonly batchSize: number;
  readonly messages: number;
  readonly filters: boolean;
  readonly deduplicates: boolean;
  readonly deadLetters: boolean;
  /** Chances of faults that pass, for each message and for each batch. */
  readonly faults: {
    readonly busy: number;
    readonly cut: number;
    readonly lostCommit: number;
    readonly brokenRead: number;
  };
  /** The route is cut off and started again so often. */
  readonly kills: number;
}

/** Messages whose `k` is this are taken out by the filters. */
export const FILTERED_KIND = 3;
/** The sink refuses messages whose number this divides, for good. */
export const POISON = 11;

const KEY = Buffer.alloc(32, 7).toString("base64");
const FILTER = { filter: `k != ${FILTERED_KIND}` };
const DEDUPLICATION = { deduplication: { store: "memory:", ttl_seconds: 3600, key: "${payload:id}" } };
const HARMLESS = [
  { metrics: {} },
  { delay: { delay_ms: 1 } },
  { limiter: { messages_per_second: 100_000 } },
  { transform: { mapping: { id: "$.id", k: "$.k", n: { path: "$.n", default: 0 } } } },
  { transform: { expression: "{ id: id, k: k, n: n, twice: id * 2 }" } },
  { cookie_jar: {} },
];
const INPUT = [
  ...HARMLESS,
  { id: "${payload:id}" },
  { buffer: { max_messages: 7, max_delay_ms: 2 } },
  { aggregate: { key: "${payload:k}", fields: { count: "count" }, into: "seen", store: "memory://a" } },
  { lookup: { from: { static: { body: '{"name":"x"}', raw: true } }, into: "found" } },
];
const OUTPUT = [
  ...HARMLESS,
  { buffer: { max_messages: 7, max_delay_ms: 2 } },
  { timeout: { timeout_ms: 5_000 } },
  { lookup: { from: { static: { body: '{"name":"x"}', raw: true } }, into: "found" } },
];
const WIRE = [
  [{ compression: { algorithm: "gzip" } }, { compression: { algorithm: "gzip" } }],
  [{ compression: { algorithm: "zstd" } }, { compression: { algorithm: "zstd" } }],
  [{ encryption: { key: KEY, key_id: "k1" } }, { encryption: { key: KEY, key_id: "k1" } }],
  [{ pack: {} }, { unpack: {} }],
] as const;

export function drawPipeline(random: Random): Pipeline {
  const chance = (share: number): boolean => random() < share;
  const filters = chance(0.4);
  const deduplicates = chance(0.35);
  const deadLetters = chance(0.6);
  const inputs: object[] = some(random, INPUT, 4);
  const outputs: object[] = some(random, OUTPUT, 3);
  const into = (list: object[], one: object): void => void list.splice(integer(random, 0, list.length), 0, one);
  if (filters) into(chance(0.5) ? inputs : outputs, FILTER);
  if (deduplicates) into(inputs, DEDUPLICATION);
  if (chance(0.5)) into(outputs, { retry: { max_attempts: integer(random, 1, 4), initial_interval_ms: 1 } });
  // Above the retry, as the documents ask for: it gets what is given up.
  if (deadLetters) outputs.unshift({ dlq: { endpoint: { dead: {} } } });
  const wire = chance(0.3) ? some(random, WIRE, 2) : [];
  const faulty = chance(0.7);
  return {
    input: inputs,
    output: outputs,
    // Both lists are handled from their end on, so that what was put on last is taken off first.
    wire: { out: wire.map(([out]) => out).reverse(), in: wire.map(([, back]) => back) },
    shape: wire.length > 0 ? "plain" : pick(random, ["plain", "plain", "switch", "fanout"] as const),
    ordered: chance(0.5),
    concurrency: pick(random, [1, 1, 2, 8]),
    batchSize: pick(random, [1, 3, 16, 512]),
    messages: integer(random, 0, 60),
    filters,
    deduplicates,
    deadLetters,
    faults: {
      busy: faulty ? random() * 0.2 : 0,
      cut: faulty && chance(0.4) ? 0.1 : 0,
      lostCommit: faulty && chance(0.3) ? 0.1 : 0,
      brokenRead: faulty && chance(0.3) ? 0.05 : 0,
    },
    kills: chance(0.3) ? integer(random, 1, 3) : 0,
  };
}
