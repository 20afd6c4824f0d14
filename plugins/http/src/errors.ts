import { defineErrors, errorRow } from "@mqb/core/plugin";

interface Answered {
  readonly method: string;
  /** Without credentials and query. */
  readonly target: string;
  readonly status: number;
  /** The first part of the body. */
  readonly body: string;
}

const answered = (p: Answered): string =>
  `${p.method} ${p.target} was answered with ${p.status}${p.body === "" ? "" : `: ${p.body}`}`;

/** Every error of the http endpoint. */
export const errors = defineErrors("MQB_HTTP", {
  ADDRESS: errorRow<{ url: string; reason: string }>({
    kind: "config",
    message: (p) => `"${p.url}" is no address to listen on: ${p.reason}`,
    hint: "write host:port, e.g. 127.0.0.1:8080, or 0.0.0.0:8080 for every interface",
  }),
  URL: errorRow<{ url: string; reason: string }>({
    kind: "config",
    message: (p) => `"${p.url}" cannot be sent to: ${p.reason}`,
    hint: "write http://host:port/path, or https:// for TLS",
  }),
  STREAMED: errorRow<{ field: string; reason: string }>({
    kind: "config",
    message: (p) => `"${p.field}" does not go with receive_streamable: ${p.reason}`,
    hint: "leave out one of the two",
  }),
  IN_USE: errorRow<{ address: string }>({
    kind: "connection",
    message: (p) => `another program listens on ${p.address} already`,
    hint: "stop it, or use another port",
  }),
  CANNOT_LISTEN: errorRow<{ address: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.address} cannot be listened on: ${p.reason}`,
  }),
  REUSE_PORT: errorRow<{ variable: string; version: string }>({
    kind: "config",
    message: (p) => `${p.variable} is set, and Node ${p.version} cannot share a port between processes`,
    hint: "use Node 22.12, 23.1 or newer, or unset it",
  }),
  OTHER_SETTINGS: errorRow<{ address: string; route: string; other: string; field: string }>({
    kind: "config",
    message: (p) => `the routes "${p.other}" and "${p.route}" share the listener ${p.address} and differ in ${p.field}`,
    hint: "give both the same, or another port to one",
  }),
  TAKEN: errorRow<{ address: string; what: string; route: string; other: string }>({
    kind: "config",
    message: (p) => `the routes "${p.other}" and "${p.route}" both take ${p.what} on ${p.address}`,
    hint: "change one of: url, path, method",
  }),
  LISTENER_FAILED: errorRow<{ address: string; reason: string }>({
    kind: "connection",
    message: (p) => `the listener on ${p.address} failed: ${p.reason}`,
  }),
  CLOSED: errorRow<{ target: string }>({
    kind: "connection",
    message: (p) => `the http endpoint ${p.target} is closed`,
  }),
  GONE: errorRow<{ target: string }>({
    kind: "connection",
    message: (p) => `the requests of this batch were answered when ${p.target} was closed`,
  }),
  UNREACHABLE: errorRow<{ target: string; reason: string }>({
    kind: "retryable",
    message: (p) => `${p.target} could not be reached: ${p.reason}`,
  }),
  BROKEN_OFF: errorRow<{ target: string; reason: string }>({
    kind: "retryable",
    message: (p) => `the answer of ${p.target} broke off: ${p.reason}`,
    hint: "the request may have had its effect",
  }),
  TIMEOUT: errorRow<{ target: string; ms: number }>({
    kind: "retryable",
    message: (p) => `${p.target} did not answer within ${p.ms} ms`,
    hint: "raise request_timeout_ms, or look why the server is slow",
  }),
  GIVEN_UP: errorRow<{ target: string }>({
    kind: "retryable",
    message: (p) => `the request to ${p.target} was given up: the route is stopping`,
  }),
  BUSY: errorRow<Answered>({ kind: "retryable", message: answered }),
  REFUSED: errorRow<Answered>({ kind: "permanent", message: answered }),
  CREDENTIALS: errorRow<Answered>({
    kind: "retryable",
    message: (p) => `the server refuses our credentials: ${answered(p)}`,
    hint: "check basic_auth, custom_headers and what else identifies this client",
  }),
  BAD_RESPONSE: errorRow<{ target: string; reason: string }>({
    kind: "permanent",
    message: (p) => `the answer of ${p.target} cannot be used: ${p.reason}`,
  }),
  BAD_REQUEST: errorRow<{ target: string; reason: string }>({
    kind: "permanent",
    message: (p) => `no request to ${p.target} can be made of the message: ${p.reason}`,
  }),
});

/** What an error of the system or of a library says, in short. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  if (error.message !== "") return error.message;
  const { errors: many } = error as Partial<AggregateError>;
  if (Array.isArray(many) && many.length > 0) return many.map(reasonOf).join(", ");
  return typeof code === "string" ? code : error.name;
}

export function codeOfSystem(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : undefined;
}
