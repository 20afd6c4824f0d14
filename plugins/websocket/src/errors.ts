import { defineErrors, errorRow } from "@mqb/core/plugin";

interface Target {
  /** URL or address without credentials. */
  readonly target: string;
}

/** Everything that goes wrong here; codes stay, messages may change. None holds a password. */
export const websocketErrors = defineErrors("MQB_WEBSOCKET", {
  ADDRESS: errorRow<{ url: string; reason: string }>({
    kind: "config",
    message: (p) => `websocket: cannot listen on "${p.url}": ${p.reason}`,
    hint: "write host:port, such as 0.0.0.0:9000",
  }),
  URL: errorRow<{ url: string; reason: string }>({
    kind: "config",
    message: (p) => `websocket: cannot connect to "${p.url}": ${p.reason}`,
    hint: "write ws://host:port/path, or wss:// for TLS",
  }),
  PATH_TAKEN: errorRow<{ address: string; path: string | undefined }>({
    kind: "config",
    message: (p) => `websocket: another route listens on ${p.address} for ${p.path ?? "every path"} already`,
    hint: "give each route another `path`",
  }),
  LISTENER_DIFFERS: errorRow<{ address: string; field: string }>({
    kind: "config",
    message: (p) => `websocket: another route listens on ${p.address} with another \`${p.field}\``,
    hint: "routes that share an address need the same one, or another port",
  }),
  LISTEN: errorRow<{ address: string; reason: string }>({
    kind: "connection",
    message: (p) => `websocket: cannot listen on ${p.address}: ${p.reason}`,
  }),
  LISTEN_NEVER: errorRow<{ address: string; reason: string }>({
    kind: "config",
    message: (p) => `websocket: cannot listen on ${p.address}: ${p.reason}`,
  }),
  UNREACHABLE: errorRow<Target & { reason: string }>({
    kind: "connection",
    message: (p) => `websocket: cannot connect to ${p.target}: ${p.reason}`,
  }),
  NO_UPGRADE: errorRow<Target & { status: number }>({
    kind: "connection",
    message: (p) => `websocket: ${p.target} answered the handshake with HTTP ${p.status}`,
    hint: "is it a WebSocket server, and is the path right?",
  }),
  CREDENTIALS: errorRow<Target & { status: number }>({
    kind: "config",
    message: (p) => `websocket: ${p.target} refused the credentials with HTTP ${p.status}`,
    hint: "give user and password in the url: ws://user:password@host",
  }),
  REDIRECT: errorRow<Target & { status: number; location: string | undefined }>({
    kind: "config",
    message: (p) => `websocket: ${p.target} sends clients elsewhere (HTTP ${p.status}), to ${p.location ?? "nowhere"}`,
    hint: "redirects are not followed: write that place as the url",
  }),
  CUT: errorRow<Target & { reason: string }>({
    kind: "connection",
    message: (p) => `websocket: the connection to ${p.target} has ended: ${p.reason}`,
  }),
  GIVEN_UP: errorRow<Target>({
    kind: "retryable",
    message: (p) => `websocket: stopped waiting for ${p.target} to read`,
  }),
  CLOSED: errorRow<Target>({
    kind: "connection",
    message: (p) => `websocket: the endpoint ${p.target} is closed`,
  }),
});
