import { defineErrors, errorRow } from "@mqb/core/plugin";

type None = Record<string, never>;

/** Every error of this package. Those of messages name fields, never a value. */
export const errors = defineErrors("MQB_LOOKUP", {
  NO_FROM: errorRow<None>({
    kind: "config",
    message: () => "lookup.from or lookup.entries is missing: there is nobody to ask",
  }),
  NO_INTO: errorRow<None>({
    kind: "config",
    message: () => "lookup.into is missing, so that the answer has no place",
    hint: "name a field of the payload, or `$` to replace the payload by the answer",
  }),
  EMPTY_INTO: errorRow<None>({
    kind: "config",
    message: () => "the place of the answer is empty",
    hint: "name a field of the payload, or `$` to replace the payload by the answer",
  }),
  INTO: errorRow<{ into: string; reason: string }>({
    kind: "config",
    message: (p) => `an answer cannot be written into "${p.into}": ${p.reason}`,
    hint: "write field or a.b; every step is a key of an object",
  }),
  ROOT_BESIDE_OTHERS: errorRow<None>({
    kind: "config",
    message: () => "`into: $` must be the only lookup of the middleware: it replaces what the others write into",
    hint: "add a second `lookup` middleware above this one, which sees the new payload",
  }),
  INTO_TWICE: errorRow<{ into: string; other: string }>({
    kind: "config",
    message: (p) => `"${p.into}" and "${p.other}" are one place of the payload, or one is inside of the other`,
    hint: "give each lookup a field of its own",
  }),
  WITHOUT_FROM: errorRow<{ field: string }>({
    kind: "config",
    message: (p) => `lookup.${p.field} says something about lookup.from, which is missing`,
    hint: "write it into the entry that it is meant for",
  }),
  KEY: errorRow<{ key: string }>({
    kind: "config",
    message: (p) => `"${p.key}" is another one each time, so that no two messages have the same key`,
    hint: "make the key of the message alone: payload, metadata, message",
  }),
  NEVER_REPLIES: errorRow<{ path: string; type: string }>({
    kind: "config",
    message: (p) => `${p.path} is "${p.type}", which never answers as it is configured: every lookup would fail`,
    hint: "memory and nats answer with `request_reply: true`, databases with a query",
  }),
  NOT_JSON: errorRow<{ into: string }>({
    kind: "permanent",
    message: (p) => `the payload is not JSON, so that no answer can be written into "${p.into}"`,
    hint: "`into: $` replaces a payload of any kind",
  }),
  NO_PLACE: errorRow<{ into: string; at: string }>({
    kind: "permanent",
    message: (p) => `no answer can be written into "${p.into}": ${p.at} of the payload is not a JSON object`,
  }),
  NO_ANSWER: errorRow<{ path: string }>({
    kind: "permanent",
    message: (p) => `${p.path} took the request and gave no answer`,
    hint: "ask an endpoint that answers: http, static, memory with `request_reply: true`, …",
  }),
  BUSY: errorRow<{ path: string; status: number }>({
    kind: "retryable",
    message: (p) => `${p.path} answered with the HTTP status ${p.status}`,
  }),
  REFUSED: errorRow<{ path: string; status: number }>({
    kind: "permanent",
    message: (p) => `${p.path} answered with the HTTP status ${p.status}`,
  }),
  MISSING: errorRow<{ into: string }>({
    kind: "permanent",
    message: (p) => `nothing was found for "${p.into}"`,
    hint: "`on_missing` can also write null, leave the field out or drop the message",
  }),
  TIMEOUT: errorRow<{ path: string; ms: number }>({
    kind: "retryable",
    message: (p) => `${p.path} did not answer within ${p.ms} ms`,
    hint: "raise `timeout_ms`",
  }),
  GIVEN_UP: errorRow<{ path: string }>({
    kind: "retryable",
    message: (p) => `stopped waiting for the answer of ${p.path}`,
  }),
  OUTCOMES: errorRow<{ path: string; asked: number; got: number }>({
    kind: "connection",
    message: (p) => `${p.path} gave ${p.got} outcomes for ${p.asked} requests`,
    hint: "this is a fault of the connector; the messages are asked for again",
  }),
  UNAVAILABLE: errorRow<{ failed: number; length: number }>({
    kind: "connection",
    message: (p) =>
      `the lookups of ${p.failed} of ${p.length} received messages failed; the batch goes back to its source`,
  }),
  MISCONFIGURED: errorRow<None>({
    kind: "config",
    message: () => "an endpoint that lookups ask cannot be used as it is configured",
  }),
});
