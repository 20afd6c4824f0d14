import type { EndpointConfig } from "@mqb/core/plugin";
import * as z from "zod";

/** The longest time that a timer of JavaScript takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const from = z
  .unknown()
  .refine((value) => value !== undefined, { error: "expected an endpoint" })
  .meta({
    description: "The endpoint that is asked with each message, and answers",
    examples: [{ http: { url: "http://users:8080" } }],
    "x-mqb-endpoint": "output",
  });

const INTO = {
  description: "The field of the payload that gets the answer, dots nest; `$` makes the answer the payload",
  examples: ["user", "features.card", "$"],
};
const into = z.string({ error: "expected a path such as user or a.b, or $" }).meta(INTO);

const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .meta({
    description: "Metadata that requests get: templates, filled in from the message",
    examples: [{ http_path: "/users/${payload:user_id}", http_method: "GET" }],
    "x-mqb-template": true,
  });

const payload = z
  .string()
  .nullish()
  .meta({
    description: "The payload of requests, a template; without it, that of the message",
    examples: ['{"id":"${payload:user_id | raw}"}'],
    "x-mqb-template": true,
  });

const keyPart = z.string().min(1, { error: "expected a template such as ${payload:user_id}" });

const cache = z
  .strictObject({
    key: z.union([keyPart, z.array(keyPart).min(1)]).meta({
      description:
        "What an answer depends on: a template, or a list of them, no two lists of values of which are taken for the same. Numbers are equal by value and differ from texts. A message that lacks one of the values is always asked for.",
      examples: ["${payload:user_id}", ["${payload:shop}", "${metadata:region}"]],
      "x-mqb-template": true,
    }),
    ttl_ms: field(
      integer(0, MAX_TIMER_MS),
      60_000,
      "How long an answer is used; 0 = only by those who ask while it is on its way",
    ),
    missing_ttl_ms: integer(0, MAX_TIMER_MS).nullish().meta({
      description: "How long it is remembered that there was nothing to be found [as ttl_ms]; 0 = not at all",
    }),
    max_entries: field(integer(1), 10_000, "Answers that are kept at most; what was not used for longest goes first"),
    max_bytes: field(integer(1), 64 * 1024 * 1024, "Bytes of the answers and keys that are kept at most"),
  })
  .nullish()
  .meta({
    description: "Asks once for equal keys, also of messages that come at the same time. Failures are not kept.",
  });

const entrySchema = z.strictObject({ from, into, metadata, payload, cache });

/** What a user writes under `lookup:`. Types, checks, defaults, the JSON Schema and the reference come from it. */
export const lookupSchema = z
  .strictObject({
    from: from.optional(),
    into: into.nullish().meta(INTO),
    metadata,
    payload,
    cache,
    entries: z
      .array(entrySchema)
      .nullish()
      .meta({ description: "Further lookups, which are made at the same time", default: [] }),
    concurrency: field(
      integer(1),
      16,
      "Requests that are under way at the same time for each lookup, where its endpoint does not answer a whole batch at once",
    ),
    timeout_ms: integer(1, MAX_TIMER_MS)
      .nullish()
      .meta({
        description: "How long an answer is waited for; without it, as long as the endpoint waits",
        examples: [2000],
      }),
    on_missing: field(
      z.enum(["write_null", "leave_out", "drop", "fail"]),
      "write_null",
      "When nothing was found: write null, leave the field out, drop the message, or fail it for good (a dlq takes it)",
    ),
    on_error: field(
      z.enum(["fail", "write_null", "leave_out", "drop"]),
      "fail",
      "When a lookup failed: fail the message, go on with null or without the field and the reason in the metadata key `lookup.error`, or drop it. Payloads that cannot hold an answer always fail",
    ),
  })
  .meta({
    "x-mqb-sets": ["lookup.found"],
    "x-mqb-order": [
      {
        side: "output",
        others: ["encryption", "compression", "pack"],
        handles: "before",
        otherwise: "it reads JSON, and gets what that makes of it",
        level: "note",
      },
      {
        side: "input",
        others: ["encryption", "compression", "unpack"],
        handles: "after",
        otherwise: "it reads JSON, and gets what is not yet taken apart",
        level: "note",
      },
    ],
  });

export type LookupSettings = z.output<typeof lookupSchema>;
export type CacheSettings = NonNullable<LookupSettings["cache"]>;

/** One lookup: of the middleware's own fields, or of `entries`. */
export type EntrySettings = z.output<typeof entrySchema>;

type Written = z.input<typeof lookupSchema>;
type WrittenEntry = Omit<z.input<typeof entrySchema>, "from"> & { readonly from: EndpointConfig };

/** A lookup as written. */
export type LookupConfig = Omit<Written, "from" | "entries"> & {
  readonly from?: EndpointConfig;
  readonly entries?: readonly WrittenEntry[] | null;
};

declare module "@mqb/core/plugin" {
  interface MiddlewareConfigs {
    readonly lookup: LookupConfig;
  }
}

function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  const error = `expected an integer ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function field<S extends z.ZodType, F extends z.output<S>>(schema: S, fallback: F, description: string) {
  return schema
    .nullish()
    .meta({ default: fallback, description })
    .transform((value): z.output<S> => value ?? fallback);
}
