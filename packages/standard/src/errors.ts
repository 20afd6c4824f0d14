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
  IPC_UNREACHABLE: errorRow<{ target: string; reason: string }>({
    kind: "connection",
    message: (p) => `nobody takes messages at ${p.target}: ${p.reason}`,
    hint: "start the route that reads it first: the input listens, the output connects",
  }),
  IPC_FOREIGN: errorRow<{ url: string; path: string; reason: string }>({
    kind: "config",
    message: (p) => `the socket ${p.path} of ${p.url} is not trusted: ${p.reason}`,
    hint: "write the whole path (ipc:///path/to.sock) if this is the socket that you mean",
  }),
  IPC_FOLDER: errorRow<{ url: string; folder: string }>({
    kind: "config",
    message: (p) => `no socket can be made for ${p.url}: the folder ${p.folder} cannot be used`,
  }),
  IPC_NO_FOLDER: errorRow<{ url: string; tried: readonly string[] }>({
    kind: "config",
    message: (p) => `there is no place for the socket of ${p.url}: ${p.tried.join(", ")}`,
    hint: "write a whole path instead of a name: ipc:///path/to.sock",
  }),
  IPC_PATH_TOO_LONG: errorRow<{ url: string; path: string; bytes: number; limit: number }>({
    kind: "config",
    message: (p) =>
      `the socket of ${p.url} would be ${p.path}, which has ${p.bytes} bytes; the path of a socket has at most ${p.limit}`,
    hint: "choose a shorter name or path",
  }),
  IPC_NO_SOCKET: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `${p.path} is a file and no socket; it is left as it is`,
  }),
  IPC_IN_USE: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `another consumer listens at the socket ${p.path}`,
    hint: "a socket has one consumer and any number of publishers: use another address, or stop the other consumer",
  }),
  IPC_BUSY: errorRow<{ path: string; holder: string }>({
    kind: "connection",
    message: (p) => `the socket ${p.path} is being opened by ${p.holder}`,
  }),
  IPC_LISTEN: errorRow<{ path: string }>({
    kind: "connection",
    message: (p) => `cannot listen at the socket ${p.path}`,
  }),
  IPC_FRAME: errorRow<{ path: string; reason: string }>({
    kind: "permanent",
    message: (p) => `a publisher at ${p.path} sent a frame that is not used: ${p.reason}; its connection is closed`,
  }),
  IPC_CUT: errorRow<{ url: string }>({
    kind: "connection",
    message: (p) => `the connection to ${p.url} has ended`,
  }),
  IPC_GIVEN_UP: errorRow<{ url: string }>({
    kind: "retryable",
    message: (p) => `stopped waiting for the consumer of ${p.url} to read`,
  }),
  IPC_TOO_LARGE: errorRow<{ url: string; limit: number }>({
    kind: "permanent",
    message: (p) => `the message is too large for ${p.url}: a frame has at most ${p.limit} bytes`,
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
  SEQUENCE_CLOSED: errorRow<{ path: string }>({
    kind: "connection",
    message: (p) => `${p.path} was closed while its next phase was opened`,
  }),
  SEQUENCE_MARKER: errorRow<{ id: string; text: string }>({
    kind: "config",
    message: (p) => `the checkpoint "sequence:${p.id}" is no phase of this sequence: ${JSON.stringify(p.text)}`,
    hint: "clear it with `mqb checkpoint reset`, or use a new cursor_id",
  }),
  SEQUENCE_OTHER: errorRow<{ id: string; stored: string; configured: string }>({
    kind: "config",
    message: (p) =>
      `the phase under cursor_id "${p.id}" was kept for the endpoints ${p.stored}; the sequence now has ${p.configured}`,
    hint: "use a new cursor_id, or remove the marker with `mqb checkpoint reset`",
  }),
  SEQUENCE_POSITION: errorRow<{ value: string; last: number }>({
    kind: "config",
    message: (p) => `"${p.value}" is no phase: phases are counted from int:0 to int:${p.last}`,
  }),
  RETRIES_EXHAUSTED: errorRow<{ attempts: number }>({
    kind: "retryable",
    message: (p) => `Retries exhausted after ${p.attempts} attempts`,
  }),
  SEND_TIMEOUT: errorRow<{ ms: number }>({
    kind: "retryable",
    message: (p) => `the send was not finished within ${p.ms} ms`,
    hint: "the sink may have taken some of it; raise `timeout_ms` of the timeout if it is only slow",
  }),
  PAUSE_CUT: errorRow<{ middleware: string }>({
    kind: "retryable",
    message: (p) => `the route stopped while the ${p.middleware} held messages back; they were not sent`,
  }),
  BUFFER_CLOSED: errorRow<None>({
    kind: "retryable",
    message: () => "the buffer was closed before it had sent the messages",
  }),
  ID_CONSTANT: errorRow<{ template: string }>({
    kind: "config",
    message: (p) => `the template "${p.template}" has no ${"${...}"} token: every message would get the same id`,
    hint: "take the id from the message, as in ${payload:order_id}",
  }),
  FAULT: errorRow<{ text: string }>({
    kind: "retryable",
    message: (p) => p.text,
    hint: "a fault that `random_panic` injects on purpose",
  }),
  FAULT_FOR_GOOD: errorRow<{ text: string }>({
    kind: "permanent",
    message: (p) => p.text,
    hint: "a fault that `random_panic` injects on purpose",
  }),
  DLQ_BUDGET: errorRow<{ limit: number; last: string }>({
    kind: "config",
    message: (p) => `more than ${p.limit} messages failed for good; the last one with: ${p.last}`,
    hint: "look into the dead letters, or raise `stop_after` of the dlq",
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
  PACK_METADATA: errorRow<{ key: string }>({
    kind: "permanent",
    message: (p) =>
      `the message cannot be packed: its metadata ${JSON.stringify(p.key)} holds half of a surrogate pair, which has no UTF-8 form`,
  }),
  UNPACK_FAILED: errorRow<{ id: string }>({
    kind: "permanent",
    message: (p) => `the message ${p.id} cannot be unpacked`,
    hint: "are `unpack.format` and the other middlewares of the input the mirror of the sender's? `on_error: drop` drops such messages",
  }),
  UNPACK_MALFORMED: errorRow<{ format: string; reason: string; offset: number }>({
    kind: "permanent",
    message: (p) => `no packed message of the format ${p.format}: ${p.reason} (byte ${p.offset})`,
  }),
  UNPACK_VERSION: errorRow<{ version: number; flags?: number }>({
    kind: "permanent",
    message: (p) =>
      `packed by a newer version: format version ${p.version}${p.flags === undefined ? "" : ` with the flags ${p.flags}`}`,
    hint: "update mqb on the reading side",
  }),
  UNPACK_TOO_MANY: errorRow<{ count: number; limit: number }>({
    kind: "permanent",
    message: (p) => `it holds ${p.count} messages; \`unpack.max_messages\` allows ${p.limit}`,
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
