/**
 * The parts of Standard Schema (standardschema.dev) and Standard JSON Schema that mqb reads. zod 4 implements both; an
 * author may use any library that does.
 */
export interface ConfigSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** Set by zod for unknown keys; the path then names the object that holds them. */
  readonly keys?: readonly string[];
  /** Set by zod: what kind of issue it is. */
  readonly code?: string;
  /** Set by zod when a value fits none of several forms: the issues of each, their paths from the value. */
  readonly errors?: readonly (readonly SchemaIssue[])[];
  /** Set by zod: the values that there are. */
  readonly values?: readonly unknown[];
}

/**
 * A JSON Schema node, as far as mqb looks into it. Annotations come from the schema's metadata: `secret: true` (never
 * shown), `"x-mqb-endpoint": "input" | "output" | "same"` (an endpoint stands here, of that side or of its owner's),
 * `"x-mqb-default-batch-size"`. What `mqb check` warns of is declared in the same way:
 *
 * - of a field: `"x-mqb-side": "input" | "output"` (works on that side only), `"x-mqb-template": true` (message templates are
 *   filled in), `"x-mqb-file": true` (names a file), `"x-mqb-listens": { side?, when?, apart? }` (an address to listen on: on
 *   that side, with that flag; shared by endpoints that differ in one of the fields `apart`), `"x-mqb-elsewhere": { value: text }`
 *   (what to say about a value that another endpoint takes), `"x-mqb-text-hint": hint` (what to write instead of a text),
 *   `"x-mqb-waits": true` (milliseconds that a send may wait in it), `"x-mqb-gives-up": true` (milliseconds that a send may take);
 * - of a whole configuration: `"x-mqb-source": { named, alike?, alone?, apart?, otherwise?, instead? }` (the fields that name
 *   what is read, those that all readers set alike, flags with which one takes away what others read, fields in which readers
 *   must differ, what these are where they are left out, and all of this once the field `when` is set),
 *   `"x-mqb-order": [{ side, others, handles: "before" | "after", otherwise, level? }]` (its place in a `middlewares` list),
 *   `"x-mqb-inside": [{ others, unless?: { field: value }, otherwise }]` (not around these endpoints, but in them),
 *   `"x-mqb-sets": [metadata keys]`, `"x-mqb-identity": field` (what makes two messages the same; the id when it is
 *   left out), `"x-mqb-defeats": { field of the endpoint: why }`, `"x-mqb-one-worker": why`, `"x-mqb-answers": true` (answers
 *   the sender of a message).
 */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly [keyword: string]: unknown;
}

/** The JSON Schema (draft 2020-12) of what a user may write, or undefined when the schema's library cannot say it. */
export function jsonSchemaOf(schema: ConfigSchema): JsonSchema | undefined {
  return schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" }) as JsonSchema | undefined;
}
