import * as z from "zod";

const text = (what: string) => z.string({ error: `expected ${what}` }).min(1, { error: `expected ${what}` });

const keySchema = z.union([text("a template"), z.array(text("the path of a field")).min(1)], {
  error: "expected a template such as ${payload:id}, or a list of payload fields",
});
const KEY_META = {
  description:
    "Selects the state: a template, or a list of payload fields, whose values are never taken for those of another list",
  examples: ["${payload:sensor_id}", ["site", "sensor.id"]],
  "x-mqb-template": true,
};

const expressionSchema = text("an expression");
const EXPRESSION_META = {
  description:
    "Computes the new state. Reads payload fields by name, metadata as `meta.<key>` and the state before as `state`, null at first. Needs @mqb/expression.",
  examples: ["{ total: (state.total ?? 0) + reading, count: (state.count ?? 0) + 1 }"],
};

const fieldsSchema = z.record(z.string().min(1), text("a built-in aggregate"));
const FIELDS_META = {
  description:
    "Built-in aggregates by name, instead of an expression: `count`, `sum(path)`, `min(path)`, `max(path)`, `last(path)`, `mean(path)`, `stddev(path)`, `variance(path)`, `ema(path, alpha or half-life)`, `ema_stddev(…)`, `ema_variance(…)`, `decayed_count(half-life)`, `decayed_sum(path, half-life)`",
  examples: [{ n: "count", total: "sum(reading)", avg: "ema(reading, 5m)" }],
};

const outputSchema = text("an expression");
const OUTPUT_META = {
  description: "Shapes what the message carries: an expression that runs after the update. Default: the state itself.",
  examples: ["state.s / state.w"],
};

const intoSchema = text("the path of a field");
const INTO_META = {
  description: "The field of the payload that the result is written to; part of the stored key",
  examples: ["sensor", "features.sensor"],
};

const emitSchema = z.enum(["updated", "previous"]);
const EMIT_META = {
  default: "updated",
  description: "The state that the message carries: with it, or from before it (null for a new key)",
};

const entrySchema = z.strictObject({
  key: keySchema.meta(KEY_META),
  expression: expressionSchema.nullish().meta(EXPRESSION_META),
  fields: fieldsSchema.nullish().meta(FIELDS_META),
  output: outputSchema.nullish().meta(OUTPUT_META),
  into: intoSchema.meta(INTO_META),
  emit: emitSchema.nullish().meta(EMIT_META),
});

/** What a user writes under `aggregate:`. Types, checks, defaults, the JSON Schema and the reference come from it. */
export const aggregateSchema = z
  .strictObject({
    store: text("a URL")
      .nullish()
      .meta({
        description:
          "Where the states are kept: the URL of a state store, a database's with the table. Required, except with `consistency: single_writer`.",
        examples: ["file:states.json", "postgres://localhost/telemetry/sensor_states"],
        "x-mqb-store": true,
      }),
    table: text("a name")
      .nullish()
      .meta({
        description:
          "The name that the states lie under in a `file:` or `memory:` store, so that another route can read them. Default: `mqb_aggregate_<route>`. The URL of a database names its table itself.",
        examples: ["sensor_states"],
      }),
    consistency: z.enum(["shared", "single_writer"]).nullish().meta({
      default: "shared",
      description:
        "`shared`: states are loaded and written with each batch, by any number of instances. `single_writer`: kept in memory and written behind, if there is a store; for exactly one instance",
    }),
    max_keys: z
      .int({ error: "expected an integer of at least 0" })
      .min(0, { error: "expected an integer of at least 0" })
      .nullish()
      .meta({
        default: 1_000_000,
        description:
          "States kept in memory per entry; 0 = no limit. Beyond it the half that was used least recently goes: without a store their keys begin anew, else they are loaded again",
      }),
    key: keySchema.nullish().meta(KEY_META),
    expression: expressionSchema.nullish().meta(EXPRESSION_META),
    fields: fieldsSchema.nullish().meta(FIELDS_META),
    output: outputSchema.nullish().meta(OUTPUT_META),
    into: intoSchema.nullish().meta(INTO_META),
    emit: emitSchema.nullish().meta(EMIT_META),
    entries: z
      .array(entrySchema)
      .nullish()
      .meta({ default: [], description: "Further aggregates, each with its own states" }),
    time: text("the path of a field")
      .nullish()
      .meta({
        description:
          "The field of the payload that holds the message's time, for `fields`: epoch seconds, epoch milliseconds (above 1e11) or an RFC 3339 text. Default: the clock.",
        examples: ["measured_at"],
      }),
    on_error: z.enum(["drop", "fail", "skip"]).nullish().meta({
      default: "drop",
      description:
        "A message that cannot be folded. On an input `drop` acks and drops it, `fail` nacks it; on an output both fail it for good. `skip` lets it pass without the entries that cannot be computed",
    }),
    read_only: z.boolean().nullish().meta({
      default: false,
      description: "Read the states of the store and never change them; each message sees the stored state",
    }),
  })
  .meta({
    "x-mqb-sets": ["mqb.aggregate.late", "mqb.aggregate.skipped"],
    "x-mqb-order": [
      { side: "output", others: ["retry"], handles: "before", otherwise: "each further attempt counts again" },
      {
        side: "output",
        others: ["encryption", "compression", "pack"],
        handles: "before",
        otherwise: "it reads JSON, and gets what that makes of it",
      },
      {
        side: "input",
        others: ["encryption", "compression", "unpack"],
        handles: "after",
        otherwise: "it reads JSON, and gets what is not yet taken apart",
      },
    ],
  });

export type AggregateSettings = z.output<typeof aggregateSchema>;
export type EntrySettings = z.output<typeof entrySchema>;
/** An aggregate as written. */
export type AggregateConfig = z.input<typeof aggregateSchema>;

declare module "@mqb/core/plugin" {
  interface MiddlewareConfigs {
    readonly aggregate: AggregateConfig;
  }
}
