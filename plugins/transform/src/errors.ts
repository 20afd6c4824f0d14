import { defineErrors, errorRow } from "@mqb/core/plugin";

type None = Record<string, never>;

/** Every error of this package. Those of messages name fields and types, never a value. */
export const errors = defineErrors("MQB_TRANSFORM", {
  FAILED: errorRow<{ path: string; reason: string; text: string }>({
    kind: "permanent",
    message: (p) => `transform failed at ${p.path} [${p.reason}]: ${p.text}`,
  }),
  TWO_SCHEMAS: errorRow<None>({
    kind: "config",
    message: () => "transform.schema and transform.schema_file exclude each other",
    hint: "keep one of them",
  }),
  SCHEMA: errorRow<{ path: string; reason: string; file?: string | undefined }>({
    kind: "config",
    message: (p) =>
      `the schema${p.file === undefined ? "" : ` in ${p.file}`} cannot be used: ${p.reason} (at ${p.path})`,
  }),
  SCHEMA_DEFAULT: errorRow<{ path: string; reason: string; file?: string | undefined }>({
    kind: "config",
    message: (p) =>
      `a default of the schema${p.file === undefined ? "" : ` in ${p.file}`} does not fit the schema itself: at ${p.path}, ${p.reason}`,
  }),
  SCHEMA_IGNORED: errorRow<{ keywords: readonly string[] }>({
    kind: "config",
    message: (p) => `the schema says more than transform looks at: ${p.keywords.join(", ")} will not be checked`,
  }),
  SCHEMA_FILE: errorRow<{ file: string }>({
    kind: "config",
    message: (p) => `the schema file ${p.file} cannot be read`,
    hint: "a relative path begins at the folder that mqb was started in",
  }),
  SCHEMA_FILE_JSON: errorRow<{ file: string }>({
    kind: "config",
    message: (p) => `the schema file ${p.file} does not hold JSON`,
  }),
  MAPPING_KEY: errorRow<{ key: string }>({
    kind: "config",
    message: (p) => `"${p.key}" cannot be the name of a field: a part between its dots is empty`,
  }),
});
