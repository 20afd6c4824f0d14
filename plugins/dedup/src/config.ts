import * as z from "zod";

const TTL = "expected a number of whole seconds, at least 1";
const template = z.string().min(1, { error: "expected a template such as ${payload:order_id}" });

/** What a user writes under `deduplication:`. Types, checks, the JSON Schema and the reference come from it. */
export const deduplicationSchema = z
  .strictObject({
    store: z
      .string()
      .min(1, { error: "expected a URL or a path" })
      .nullish()
      .meta({
        description:
          "Where the keys are kept: `memory://[name][?max_keys=N]` in this process, `file:///folder[?durable=true]` (also `sled:///folder`, or a path) on disk, `postgres://host/db[/table]`, `mysql:`, `mariadb:` or `sqlite:` in a table that several processes share. Needed, unless there is a `sled_path`.",
        examples: [
          "memory://orders?max_keys=5000000",
          "file:///var/lib/mqb/dedup?durable=true",
          "postgres://app@db.example/shop",
        ],
      }),
    sled_path: z
      .string()
      .min(1, { error: "expected a path" })
      .nullish()
      .meta({
        description: "The older spelling of `store` with the path of a folder",
        examples: ["/var/lib/mqb/dedup"],
      }),
    ttl_seconds: z
      .int({ error: TTL })
      .min(1, { error: TTL })
      .meta({ description: "How long a key is remembered after its message was accepted", examples: [3600] }),
    key: z
      .union([template, z.array(template).min(1, { error: "expected at least one template" })], {
        error: "expected a template such as ${payload:order_id}, or a list of them",
      })
      .nullish()
      .meta({
        description:
          "What makes two messages the same: a template, or a list of templates whose values are compared one by one. A message that lacks one of the values, or has null there, goes by its id. Default: the message id, which most sources make anew at each reading.",
        examples: ["${payload:order_id}", ["${payload:tenant}", "${payload:order_id}"]],
        "x-mqb-template": true,
      }),
    replay_response: z.boolean().nullish().meta({
      default: false,
      description: "Answer a duplicate request with the reply that the first one got, which is stored with the key",
    }),
  })
  .meta({
    "x-mqb-order": [{ side: "input", others: ["aggregate"], handles: "before", otherwise: "duplicates are counted" }],
    "x-mqb-identity": "key",
  });

/** As written. */
export type DeduplicationConfig = z.input<typeof deduplicationSchema>;
export type DeduplicationSettings = z.output<typeof deduplicationSchema>;

declare module "@mqb/core/plugin" {
  interface MiddlewareConfigs {
    readonly deduplication: DeduplicationConfig;
  }
}
