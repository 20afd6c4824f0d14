import { defineErrors, errorRow } from "@mqb/core/plugin";

/** Every error of this package. */
export const errors = defineErrors("MQB_HANDLERS", {
  NOT_JSON: errorRow<{ id: string; reason: string }>({
    kind: "permanent",
    message: (p) => `the payload of message ${p.id} is no JSON: ${p.reason}`,
    hint: "give the handler a `parse` of its own if the payload is something else",
  }),
  INVALID: errorRow<{ id: string; issues: readonly string[] }>({
    kind: "permanent",
    message: (p) => `the payload of message ${p.id} does not fit its schema: ${p.issues.join("; ")}`,
  }),
  NO_MESSAGE: errorRow<{ what: string; where: string }>({
    kind: "permanent",
    message: (p) => `${p.where} gave ${p.what}, of which no message can be made`,
    hint: "a message is made of a Message, a text, bytes, or a value that JSON can hold",
  }),
  NO_REPLY: errorRow<{ id: string }>({
    kind: "retryable",
    message: (p) => `the request ${p.id} was taken, and nobody has answered it`,
    hint: "does the endpoint reply? A memory topic needs `request_reply: true`, and a reader that replies",
  }),
  CLOSED: errorRow<{ what: string }>({
    kind: "connection",
    message: (p) => `this ${p.what} is closed`,
  }),
  NO_METHOD: errorRow<{ endpoint: string; side: string; method: string }>({
    kind: "config",
    message: (p) => `the endpoint "${p.endpoint}" cannot be an ${p.side}: what its factory made has no ${p.method}`,
  }),
  NO_OBJECT: errorRow<{ name: string; what: string }>({
    kind: "config",
    message: (p) => `the factory of "${p.name}" made ${p.what}, not an object`,
  }),
  NO_LIST: errorRow<{ endpoint: string; what: string }>({
    kind: "config",
    message: (p) => `receiveBatch of "${p.endpoint}" must give a list of messages, and gave ${p.what}`,
    hint: "put a single one into brackets",
  }),
  TOO_MANY: errorRow<{ endpoint: string; asked: number; got: number }>({
    kind: "config",
    message: (p) => `receiveBatch of "${p.endpoint}" gave ${p.got} messages and was asked for at most ${p.asked}`,
  }),
  WRONG_COUNT: errorRow<{ name: string; method: string; expected: number; got: string }>({
    kind: "config",
    message: (p) =>
      `${p.method} of "${p.name}" must give a list of ${p.expected}, one entry per message, and gave ${p.got}`,
  }),
  END_OF_STREAM: errorRow<Record<string, never>>({
    kind: "end",
    message: () => "the source is finished",
  }),
});
