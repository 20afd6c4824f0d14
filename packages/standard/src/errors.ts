import { defineErrors, errorRow } from "@mqb/core/plugin";

type None = Record<string, never>;

/** Every error of this package. */
export const errors = defineErrors("MQB_STANDARD", {
  MEMORY_TOPIC_MODE: errorRow<{ topic: string; is: string; wanted: string }>({
    kind: "config",
    message: (p) => `the memory topic "${p.topic}" is a ${p.is} in this bridge already and cannot be a ${p.wanted} too`,
    hint: "use the same `subscribe_mode` on every input of the topic, or another topic",
  }),
  MEMORY_CLOSED: errorRow<{ topic: string }>({
    kind: "connection",
    message: (p) => `the memory topic "${p.topic}" was closed on this side`,
  }),
  MEMORY_FULL: errorRow<{ topic: string; capacity: number }>({
    kind: "retryable",
    message: (p) => `gave up waiting for room in the memory topic "${p.topic}": its ${p.capacity} slots are taken`,
    hint: "is a route that reads the topic running?",
  }),
  MEMORY_RETURNED: errorRow<{ topic: string }>({
    kind: "connection",
    message: (p) => `a batch of the memory topic "${p.topic}" was committed after it had gone back to the topic`,
  }),
  REQUEST_DUPLICATE: errorRow<{ topic: string; correlationId: string }>({
    kind: "permanent",
    message: (p) =>
      `a request with the correlation_id "${p.correlationId}" waits for its answer on the memory topic "${p.topic}" already`,
  }),
  REQUEST_TIMEOUT: errorRow<{ topic: string; correlationId: string; ms: number }>({
    kind: "retryable",
    message: (p) =>
      `no answer to the request "${p.correlationId}" came from the memory topic "${p.topic}" within ${p.ms} ms`,
    hint: "raise `request_timeout_ms`, or check the route that reads the topic",
  }),
  REQUEST_NACKED: errorRow<{ topic: string; correlationId: string }>({
    kind: "retryable",
    message: (p) => `the request "${p.correlationId}" failed at the reader of the memory topic "${p.topic}"`,
  }),
  REQUEST_GIVEN_UP: errorRow<{ topic: string; correlationId: string }>({
    kind: "retryable",
    message: (p) =>
      `stopped waiting for the answer to the request "${p.correlationId}" from the memory topic "${p.topic}"`,
  }),
  TEMPLATE: errorRow<{ token: string; reason: string }>({
    kind: "config",
    message: (p) => `the template token ${p.token} cannot be used: ${p.reason}`,
    hint: "write `$${` for a literal `${`",
  }),
  REF_UNKNOWN: errorRow<{ name: string; known: readonly string[] }>({
    kind: "config",
    message: (p) => `no endpoint is registered under the name "${p.name}"; there are: ${p.known.join(", ") || "none"}`,
  }),
  RETRIES_EXHAUSTED: errorRow<{ attempts: number }>({
    kind: "retryable",
    message: (p) => `Retries exhausted after ${p.attempts} attempts`,
  }),
  DLQ_FAILED: errorRow<{ original: string; dlq: string }>({
    kind: "retryable",
    message: (p) => `the dead-letter endpoint failed (${p.dlq}) for a message that had failed with: ${p.original}`,
  }),
  DLQ_UNREACHABLE: errorRow<{ original: string }>({
    kind: "connection",
    message: (p) => `the dead-letter endpoint is out of reach for a message that had failed with: ${p.original}`,
  }),
  DLQ_THRESHOLD: errorRow<{ threshold: number; window: number; last: string }>({
    kind: "config",
    message: (p) =>
      `more than ${p.threshold} of the last ${p.window} messages failed for good; the last one with: ${p.last}`,
    hint: "look into the dead letters, or raise `stop_threshold` of the dlq",
  }),
  FILTER_FAILED: errorRow<{ expression: string; failed: number; length: number; reason: string }>({
    kind: "config",
    message: (p) =>
      `the filter "${p.expression}" could not be evaluated for ${p.failed} of ${p.length} messages: ${p.reason}`,
    hint: "`on_error: drop` drops such messages instead of stopping the route",
  }),
  PART_GIVEN_UP: errorRow<{ path: string }>({
    kind: "retryable",
    message: (p) => `stopped waiting for ${p.path}, which did not say in time whether it took the messages`,
  }),
  PART_OUTCOMES: errorRow<{ path: string; sent: number; got: number }>({
    kind: "connection",
    message: (p) => `${p.path} gave ${p.got} outcomes for ${p.sent} messages`,
    hint: "this is a fault of the connector; the messages are sent again",
  }),
  STREAM_NO_ID: errorRow<{ topic: string }>({
    kind: "permanent",
    message: (p) => `the message has no "correlation_id", which says what stream of the buffer "${p.topic}" it goes to`,
  }),
  STREAM_DISCARDED: errorRow<{ stream: string }>({
    kind: "retryable",
    message: (p) => `the stream "${p.stream}" was full and was discarded, because nobody came to read it`,
    hint: "does something read it? `idle_ttl_secs` says how long it is kept",
  }),
  READER_EMPTY: errorRow<{ path: string }>({
    kind: "retryable",
    message: (p) => `${p.path} had no message to answer with`,
  }),
  READER_CUT: errorRow<{ path: string }>({
    kind: "connection",
    message: (p) => `${p.path} could not be read`,
  }),
  READER_BROKEN: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `${p.path} cannot be read any further`,
  }),
  REOPEN_CLOSED: errorRow<{ path: string }>({
    kind: "connection",
    message: (p) => `${p.path} is closed`,
  }),
  STORE_URL: errorRow<{ url: string; reason: string }>({
    kind: "config",
    message: (p) => `the state store "${p.url}" cannot be used: ${p.reason}`,
  }),
  STORE_CORRUPT: errorRow<{ path: string; reason: string }>({
    kind: "config",
    message: (p) => `the state file ${p.path} is not usable: ${p.reason}`,
    hint: "it is left as it is; move it away to start without its state",
  }),
  STORE_LOCKED: errorRow<{ path: string; holder: string }>({
    kind: "config",
    message: (p) => `the state file ${p.path} is locked by ${p.holder}`,
    hint: "end that process, or remove the .lock file beside it when nothing uses it",
  }),
  STORE_BUSY: errorRow<{ path: string; holder: string }>({
    kind: "connection",
    message: (p) => `the state file ${p.path} could not be written: it is locked by ${p.holder}`,
  }),
  STORE_IO: errorRow<{ path: string; action: string }>({
    kind: "connection",
    message: (p) => `the state file ${p.path} could not be ${p.action}`,
  }),
  STORE_CLOSED: errorRow<None>({
    kind: "connection",
    message: () => "the state store is closed",
  }),
  SCHEME_PARAM: errorRow<{ scheme: string; param: string; known: readonly string[] }>({
    kind: "config",
    message: (p) =>
      `unrecognised query param '${p.param}' of a ${p.scheme}: URI; it takes: ${p.known.join(", ") || "none"}`,
  }),
  SCHEME_FORM: errorRow<{ scheme: string; reason: string }>({
    kind: "config",
    message: (p) => `the ${p.scheme}: URI cannot be used: ${p.reason}`,
  }),
  UNKNOWN_KIND: errorRow<{ kind: string | undefined; known: readonly string[] }>({
    kind: "permanent",
    message: (p) =>
      p.kind === undefined
        ? `the message has no "kind" metadata`
        : `there is no handler for messages of kind "${p.kind}"`,
    hint: (p) => `handlers: ${p.known.join(", ")}; add a fallback, or set onUnknownKind`,
  }),
});
