import { defineErrors, errorRow } from "@mqb/core/plugin";

/** Every error that the configuration package throws. Faults inside a document are problems, not errors. */
export const configErrors = defineErrors("MQB_CONFIG", {
  CANNOT_READ: errorRow<{ path: string; reason: string }>({
    kind: "config",
    message: (p) => `cannot read the configuration ${p.path}: ${p.reason}`,
  }),
  URI_EMPTY: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "an endpoint URI is empty",
    hint: "write e.g. file:orders.jsonl, or - for standard input and output",
  }),
  URI_NO_SCHEME: errorRow<{ uri: string; near?: string }>({
    kind: "config",
    message: (p) => `"${p.uri}" is no endpoint URI: it has no scheme`,
    hint: (p) => `for a file write file:${p.near ?? p.uri}`,
  }),
  URI_PASSWORD: errorRow<{ uri: string }>({
    kind: "config",
    message: (p) => `the password in "${p.uri}" ends where it should not: it holds a /, ? or # that is not encoded`,
    hint: "percent-encode it (/ is %2F, ? is %3F, # is %23, @ is %40), or use the field for the password, where there is one",
  }),
  URI_VARIABLE: errorRow<{ name: string; uri: string }>({
    kind: "config",
    message: (p) => `the variable ${p.name} in "${p.uri}" is not set`,
    hint: "set it, or write %24 for a literal $",
  }),
  URI_TEMPLATE: errorRow<{ token: string; escaped: string }>({
    kind: "config",
    message: (p) => `${p.token} is a message template, and in a URI \${…} stands for an environment variable`,
    hint: (p) => `write ${p.escaped}`,
  }),
  /** `known`: a package brings it; `installed`: that package is here, but without it. */
  URI_SCHEME: errorRow<{ scheme: string; hint: string; known: boolean; installed: boolean }>({
    kind: "config",
    message: (p) =>
      p.installed
        ? `"${p.scheme}:" is not available`
        : p.known
          ? `the plugin for "${p.scheme}:" is not installed`
          : `unknown scheme "${p.scheme}:"`,
    hint: (p) => p.hint,
  }),
  URI_BODY: errorRow<{ scheme: string }>({
    kind: "config",
    message: (p) => `"${p.scheme}:" takes its fields as parameters only`,
    hint: (p) => `write ${p.scheme}:?field=value`,
  }),
  URI_PARAM: errorRow<{ name: string; owner: string; hint: string }>({
    kind: "config",
    message: (p) => `unrecognised query param "${p.name}" of "${p.owner}"`,
    hint: (p) => p.hint,
  }),
  URI_REPEATED: errorRow<{ name: string; owner: string }>({
    kind: "config",
    message: (p) => `the query param "${p.name}" of "${p.owner}" is given twice`,
    hint: 'give it once; a list is one JSON literal, e.g. columns=["a","b"]',
  }),
  URI_JSON: errorRow<{ name: string; owner: string; kind: string; hint: string }>({
    kind: "config",
    message: (p) => `the query param "${p.name}" of "${p.owner}" expects a JSON literal (${p.kind})`,
    hint: (p) => p.hint,
  }),
  URI_KEY: errorRow<{ name: string; owner: string; key: string }>({
    kind: "config",
    message: (p) => `the query param "${p.name}" of "${p.owner}" has the key "${p.key}", which none may be called`,
  }),
  URI_CHOICE: errorRow<{ name: string; owner: string; value: string; hint: string }>({
    kind: "config",
    message: (p) => `the query param "${p.name}" of "${p.owner}" cannot be "${p.value}"`,
    hint: (p) => p.hint,
  }),
  URI_DEPTH: errorRow<{ max: number }>({
    kind: "config",
    message: (p) => `endpoint URIs are nested more than ${p.max} deep`,
  }),
  URI_MIDDLEWARE: errorRow<{ name: string; hint: string; known: boolean; installed: boolean }>({
    kind: "config",
    message: (p) =>
      p.installed
        ? `the middleware "${p.name}" is not available`
        : p.known
          ? `the middleware "${p.name}" is not installed`
          : `unknown middleware "${p.name}"`,
    hint: (p) => p.hint,
  }),
  URI_MIDDLEWARE_EMPTY: errorRow<{ uri: string }>({
    kind: "config",
    message: (p) => `a | in "${p.uri}" is not followed by a middleware`,
    hint: "write %7C for a literal |",
  }),
  URI_MIDDLEWARE_VALUE: errorRow<{ name: string }>({
    kind: "config",
    message: (p) => `the middleware "${p.name}" takes a value`,
    hint: (p) => `write |${p.name}?value`,
  }),
  SIZE_BY_EXPRESSION: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "the batch size that a sink asks for depends on an expression, so that its schema cannot say it",
  }),
});
