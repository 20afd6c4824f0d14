import * as z from "zod";

const PATH = "expected a path such as $.a.b or items[0]";

const ruleSchema = z.union([
  z.string({ error: PATH }),
  z.strictObject({
    path: z
      .string({ error: PATH })
      .meta({ description: "Where the value is: `field`, `a.b`, `items[0]`; `$.` may stand before it" }),
    default: z.unknown().optional().meta({ description: "The value when the field is absent; a null is not absent" }),
    required: z
      .boolean()
      .nullish()
      .meta({ default: false, description: "A message without the field is in error, unless there is a default" }),
  }),
]);

const schemaSchema = z.record(z.string(), z.unknown(), { error: "expected an object" });

/** What a user writes under `transform:`. Types, checks, defaults, the JSON Schema and the reference come from it. */
export const transformSchema = z
  .strictObject({
    mapping: z
      .record(z.string(), ruleSchema)
      .nullish()
      .meta({
        description:
          "Builds a new document: for each of its fields (dots nest) the path of a field of the payload, or a rule. Runs first.",
        examples: [{ firstName: "$.first_name", "address.city": { path: "$.city", default: "unknown" } }],
      }),
    expression: z
      .string()
      .min(1, { error: "expected an expression" })
      .nullish()
      .meta({
        description:
          "An expression that computes the new document; runs on what the mapping built. Needs @mqb/expression.",
        examples: ["{ fullName: first + ' ' + last, source: meta.source }"],
      }),
    schema: schemaSchema.nullish().meta({
      description:
        "A JSON Schema that the document is made to fit. Looks at `type`, `properties`, `required`, `default`, `items`, `nullable`, `enum`, `contentMediaType` and `contentSchema`. Runs last.",
      examples: [{ type: "object", properties: { id: { type: "integer" } }, required: ["id"] }],
      "x-mqb-text-hint": "write the schema itself, or name a file that holds it with schema_file",
    }),
    schema_file: z
      .string()
      .min(1, { error: "expected a path" })
      .nullish()
      .meta({
        description: "A file with that schema instead; read once at the start",
        examples: ["schemas/user.json"],
      }),
    coerce: flag(true, 'Convert values without loss to the type that the schema asks for: `"7"` to `7`, `7` to `"7"`'),
    apply_defaults: flag(true, "Put in the schema's defaults for fields that are absent or null"),
    coerce_empty_as_null: flag(false, "Read an empty string as null wherever the schema looks"),
    on_error: z.enum(["reject", "pass_through"]).nullish().meta({
      default: "reject",
      description:
        "A message that cannot be transformed: `reject` fails it on an output (a dlq takes it) and drops it on an input; `pass_through` hands it on as it is, with the reason in the metadata key `mqb.transform_error`",
    }),
  })
  .meta({
    "x-mqb-sets": ["mqb.transform_error"],
    "x-mqb-order": [
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

export type TransformSettings = z.output<typeof transformSchema>;
/** A mapping rule as written. */
export type MappingRule = z.output<typeof ruleSchema>;
/** A transform as written. */
export type TransformConfig = z.input<typeof transformSchema>;

declare module "@mqb/core/plugin" {
  interface MiddlewareConfigs {
    readonly transform: TransformConfig;
  }
}

function flag(fallback: boolean, description: string) {
  return z.boolean().nullish().meta({ default: fallback, description });
}
