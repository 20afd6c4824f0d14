import { defineErrors, errorRow } from "@mqb/core/plugin";

export const errors = defineErrors("MQB_TESTKIT", {
  INVALID_CONFIG: errorRow<{ path: string; issues: string }>({
    kind: "config",
    message: ({ path, issues }) => `the configuration at ${path} is refused: ${issues}`,
  }),
  UNKNOWN_ENDPOINT: errorRow<{ path: string; keys: string; known: string }>({
    kind: "config",
    message: ({ path, keys, known }) =>
      `the endpoint at ${path} has the keys ${keys}; the plugins given to the test know: ${known}`,
    hint: "Pass the plugin in `fakeContext({ plugins })`, or override `openConsumer` or `openPublisher`.",
  }),
  UNKNOWN_MIDDLEWARE: errorRow<{ path: string; key: string }>({
    kind: "config",
    message: ({ path, key }) => `no plugin given to the test brings the middleware ${key} at ${path}`,
  }),
  WRONG_SIDE: errorRow<{ path: string; key: string; side: string }>({
    kind: "config",
    message: ({ path, key, side }) => `${key} at ${path} does not work as ${side}`,
  }),
  UNKNOWN_STORE: errorRow<{ url: string }>({
    kind: "config",
    message: ({ url }) => `no plugin given to the test brings a state store for ${url}`,
    hint: "Pass the plugin in `fakeContext({ plugins })`; `memory:` works without.",
  }),
  NO_EXPRESSIONS: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "the test gave no plugin that compiles expressions",
    hint: "Pass it in `fakeContext({ plugins })`.",
  }),
  STORE_CLOSED: errorRow<Record<string, never>>({
    kind: "permanent",
    message: () => "the state store is closed",
  }),
});
