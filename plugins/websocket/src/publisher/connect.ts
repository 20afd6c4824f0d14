import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { OpenContext } from "@mqb/core/plugin";
import { readTls, type TlsConfig, tlsFailure } from "@mqb/tls";
import type { WebSocket } from "ws";
import { shownUrl, type Target, targetOf } from "../address.ts";
import { websocketErrors } from "../errors.ts";

/** How long a server may take for the handshake. */
const HANDSHAKE_MS = 10_000;
/** Nothing is expected from the server; what it sends is read to see its close and its pongs. */
const MAX_PAYLOAD = 16 * 1024 * 1024;

export interface Connection {
  readonly socket: WebSocket;
  /** What the frames are written to. */
  readonly stream: Duplex;
  readonly target: Target;
}

interface Wanted {
  readonly url: string;
  readonly tls?: TlsConfig | null | undefined;
}

/**
 * Connects, once: a connection that has ended is made again by the route. Throws `connection` errors, and `config` ones
 * for what waiting does not mend: a wrong URL, credentials that are refused, a certificate.
 */
export async function connect(
  { url, tls }: Wanted,
  { baseDir, path, signal }: Pick<OpenContext, "baseDir" | "path" | "signal">,
): Promise<Connection> {
  const target = targetOf(url);
  if (tls?.required && !target.secure) {
    const reason = "tls.required is set, and ws:// is not TLS";
    throw websocketErrors.URL({ url: target.text, reason }, { hint: "write wss://" });
  }
  const place = { baseDir, path: `${path}.websocket.tls`, role: "client" } as const;
  const material = target.secure ? await readTls({ ...tls, required: true }, place) : undefined;
  const { WebSocket } = await import("ws");
  signal.throwIfAborted();
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_PAYLOAD,
    ...material,
  });
  const stream = await opened(socket, target, tls, signal);
  return { socket, stream, target };
}

function opened(
  socket: WebSocket,
  target: Target,
  tls: TlsConfig | null | undefined,
  signal: AbortSignal,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    let stream: Duplex | undefined;
    const settle = (act: () => void): void => {
      signal.removeEventListener("abort", aborted);
      act();
    };
    const fail = (error: unknown): void =>
      settle(() => {
        reject(error as Error);
        socket.terminate();
      });
    const aborted = (): void => fail(signal.reason);
    signal.addEventListener("abort", aborted, { once: true });
    socket.on("upgrade", (response) => {
      stream = response.socket;
    });
    socket.once("open", () => settle(() => resolve(stream!)));
    socket.on("error", (cause) => fail(tlsFailure(cause, target.host, tls) ?? unreachable(target, cause)));
    socket.once("unexpected-response", (request, response) => {
      request.destroy();
      fail(refusedBy(target, response));
    });
  });
}

function refusedBy({ text: target }: Target, { statusCode: status = 0, headers }: IncomingMessage): Error {
  if (status === 401 || status === 403) return websocketErrors.CREDENTIALS({ target, status });
  if (status >= 300 && status < 400) {
    const location = headers.location === undefined ? undefined : shownUrl(headers.location);
    return websocketErrors.REDIRECT({ target, status, location });
  }
  return websocketErrors.NO_UPGRADE({ target, status });
}

function unreachable({ text: target }: Target, cause: Error): Error {
  const { code, errors } = cause as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const found = code ?? errors?.[0]?.code;
  return websocketErrors.UNREACHABLE({ target, reason: typeof found === "string" ? found : cause.message }, { cause });
}
