import { defineErrors, errorRow } from "@mqb/core/plugin";

type None = Record<string, never>;

/** Every error of this package. Those of messages name fields, never a value. */
export const errors = defineErrors("MQB_AGGREGATE", {
  CANNOT_FOLD: errorRow<{ reason: string }>({
    kind: "permanent",
    message: (p) => `aggregate cannot fold the message: ${p.reason}`,
    hint: "`on_error: skip` lets such messages pass without the entries that cannot be computed",
  }),
  CAME_BACK: errorRow<{ times: number; reason: string }>({
    kind: "permanent",
    message: (p) =>
      `messages that aggregate cannot fold came back ${p.times} times in a row, and nothing else came forward: ${p.reason}`,
    hint: "`on_error: drop` or `skip` lets a drain end",
  }),
  STORE_READ: errorRow<None>({
    kind: "retryable",
    message: () => "the states of aggregate could not be read from their store",
  }),
  STORE_WRITE: errorRow<None>({
    kind: "retryable",
    message: () => "the states of aggregate could not be written to their store",
  }),
  STORE_GONE: errorRow<None>({
    kind: "connection",
    message: () => "aggregate has no store for its states now",
  }),
  REFUSED: errorRow<{ keys: number; writes: number }>({
    kind: "retryable",
    message: (p) =>
      `${p.keys} of ${p.writes} states of aggregate were changed by somebody else since they were read; they are read again`,
    hint: "with `consistency: single_writer` exactly one route may write these states; `shared` lets several do it",
  }),
  LEASED: errorRow<{ holder: string }>({
    kind: "connection",
    message: (p) => `another single writer has the states of aggregate: ${p.holder}`,
    hint: "`consistency: shared` lets several write the same states; a route that goes on trying takes over when the other one ends",
  }),
  LEASE_GONE: errorRow<None>({
    kind: "connection",
    message: () =>
      "what says that this route is the single writer of its states has run out, or somebody has taken it away",
    hint: "it runs out when the process sleeps, or the store is out of reach, for 15 s; nothing else may write in the store of an aggregate with `consistency: single_writer`",
  }),
  CONTENDED: errorRow<{ keys: number; times: number }>({
    kind: "retryable",
    message: (p) =>
      `${p.keys} states of aggregate were changed by others each time, ${p.times} times in a row, before they could be written`,
    hint: "a smaller `batch_size`, or fewer routes that write the same keys",
  }),
  CLOSED: errorRow<None>({
    kind: "connection",
    message: () => "aggregate was closed before its states were written",
  }),
  STATE: errorRow<{ into: string; reason: string }>({
    kind: "config",
    message: (p) => `a stored state of the aggregate that writes into "${p.into}" cannot be read: ${p.reason}`,
    hint: "after a change of `fields` begin with a new table or a new `into`",
  }),
  NO_STORE: errorRow<None>({
    kind: "config",
    message: () =>
      "aggregate.store is missing: states are kept in a store, or in this process only with consistency: single_writer",
    hint: "set `store`, or `consistency: single_writer` when the states may be lost with the process",
  }),
  READ_ONLY: errorRow<None>({
    kind: "config",
    message: () => "aggregate.read_only needs a store: there is nothing else to read states from",
  }),
  STORE_SCHEME: errorRow<{ scheme: string; known: readonly string[] }>({
    kind: "config",
    message: (p) => `aggregate.store cannot be a ${p.scheme}: URL; there are: ${p.known.join(", ")}`,
  }),
  TABLE: errorRow<None>({
    kind: "config",
    message: () => "aggregate.table is the name of states in a file: or memory: store",
    hint: "name a database's table in its URL: postgres://host/database/table",
  }),
  NO_ENTRY: errorRow<None>({
    kind: "config",
    message: () => "nothing to compute: neither aggregate.key nor aggregate.entries is set",
    hint: "set `key`, `into` and `fields` or `expression`, or a list of such entries",
  }),
  NO_INTO: errorRow<None>({
    kind: "config",
    message: () => "aggregate.key is set without aggregate.into: where is the result to be written?",
    hint: "`into` is a field of the payload, such as `sensor` or `features.sensor`",
  }),
  WITHOUT_KEY: errorRow<{ field: string }>({
    kind: "config",
    message: (p) => `aggregate.${p.field} belongs to an aggregate with a key, and aggregate.key is missing`,
  }),
  NOTHING_TO_COMPUTE: errorRow<None>({
    kind: "config",
    message: () => "neither expression nor fields says what to compute",
    hint: "`fields: { n: count, total: sum(amount) }` or `expression: ...`",
  }),
  BOTH: errorRow<None>({
    kind: "config",
    message: () => "expression and fields exclude each other",
    hint: "write two entries with the same key and different `into`",
  }),
  OUTPUT_OF_FIELDS: errorRow<None>({
    kind: "config",
    message: () => "output shapes the state of an expression; fields cannot have an output",
    hint: "leave `output` out, or compute the state with `expression`",
  }),
  FIELD: errorRow<{ field: string; written: string; reason: string }>({
    kind: "config",
    message: (p) => `fields.${p.field}: "${p.written}" is no built-in aggregate: ${p.reason}`,
  }),
  KEY: errorRow<{ key: string }>({
    kind: "config",
    message: (p) => `the key "${p.key}" reads nothing of the message: all messages would have one state`,
    hint: "write for example ${payload:sensor_id}",
  }),
  INTO: errorRow<{ into: string; reason: string }>({
    kind: "config",
    message: (p) => `into "${p.into}" ${p.reason}`,
  }),
});
