import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "@mqb/core/plugin";
import type { TlsMaterial } from "@mqb/tls";
import { addressText } from "../address.ts";
import { websocketErrors } from "../errors.ts";
import { refuse } from "./refusal.ts";

/** A client has so long to ask for its upgrade. */
export const HANDSHAKE_MS = 10_000;
/** What cannot come right by waiting. */
const NEVER: Readonly<Record<string, string>> = {
  EACCES: "this user may not use the port",
  EADDRNOTAVAIL: "the address is not one of this machine",
  ENOTFOUND: "no such host",
  EINVAL: "the system does not take it",
};

export interface ListenerSettings {
  readonly host: string;
  readonly port: number;
  readonly backlog: number;
  readonly tls: TlsMaterial | undefined;
  readonly clock: Clock;
}

/** Takes the clients of one path. */
export interface Site {
  /** Called with each handshake for the path; answers it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** One address, shared by the routes that listen on it with different paths. */
export class Listener {
  private readonly settings: ListenerSettings;
  private readonly server: Server;
  private readonly sites = new Map<string | undefined, Site>();
  private readonly sockets = new Set<Socket>();
  /** Connections that have not asked for anything, with what ends their time. */
  private readonly waiting = new Map<Duplex, () => void>();
  private closing: Promise<void> | undefined;

  private constructor(settings: ListenerSettings) {
    this.settings = settings;
    const { tls } = settings;
    this.server = tls
      ? createTlsServer({ ...tls, ALPNProtocols: ["http/1.1"], handshakeTimeout: HANDSHAKE_MS })
      : createPlainServer();
    if (tls) this.server.on("tlsClientError", (_, socket) => socket.destroy());
    this.server.on("connection", (socket: Socket) => this.track(socket));
    this.server.on(tls ? "secureConnection" : "connection", (socket: Socket) => this.awaitHandshake(socket));
    this.server.on("request", (request, response) => this.answer(request, response));
    this.server.on("upgrade", (request, socket, head) => this.upgrade(request, socket, head));
  }

  /** Throws `connection` errors, or `config` ones for an address that cannot be used. */
  static async open(settings: ListenerSettings): Promise<Listener> {
    const listener = new Listener(settings);
    const { host, port, backlog } = settings;
    await new Promise<void>((resolve, reject) => {
      const failed = (cause: NodeJS.ErrnoException): void => reject(notListening(settings, cause));
      listener.server.once("error", failed);
      listener.server.listen({ port, backlog, ...(host === "" ? {} : { host }) }, () => {
        listener.server.off("error", failed);
        // Without descriptors left the system takes no connection; those that are there go on.
        listener.server.on("error", () => {});
        resolve();
      });
    });
    return listener;
  }

  /** `host:port`; the real one where port 0 was asked for. */
  get address(): string {
    const bound = this.server.address() as AddressInfo | null;
    return addressText(bound ? { host: bound.address, port: bound.port } : this.settings);
  }

  /** Throws `PATH_TAKEN` when somebody has the path; undefined = every path that nobody else has. */
  add(path: string | undefined, site: Site): void {
    if (this.sites.has(path)) throw websocketErrors.PATH_TAKEN({ address: this.address, path });
    this.sites.set(path, site);
  }

  remove(path: string | undefined): void {
    this.sites.delete(path);
  }

  /** Ends every connection that is left, whatever it waits for. */
  close(): Promise<void> {
    return (this.closing ??= new Promise((resolve) => {
      this.server.close(() => resolve());
      for (const socket of this.sockets) socket.destroy();
    }));
  }

  private track(socket: Socket): void {
    this.sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.sockets.delete(socket));
  }

  /** Whoever connects and does not say in time what it wants holds nothing. */
  private awaitHandshake(socket: Socket): void {
    const cancel = this.settings.clock.timer(HANDSHAKE_MS, () => socket.destroy());
    this.waiting.set(socket, cancel);
    socket.once("close", () => this.greeted(socket));
  }

  private greeted(socket: Duplex): void {
    this.waiting.get(socket)?.();
    this.waiting.delete(socket);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.greeted(socket);
    socket.on("error", () => socket.destroy());
    const site = this.siteOf(request);
    if (site) site.upgrade(request, socket, head);
    else refuse(socket, 404, "there is nothing at this path\n");
  }

  /** A request that is no handshake. */
  private answer(request: IncomingMessage, response: ServerResponse): void {
    const found = this.siteOf(request) !== undefined;
    response.writeHead(found ? 426 : 404, {
      connection: "close",
      "content-type": "text/plain",
      ...(found ? { upgrade: "websocket" } : {}),
    });
    response.end(found ? "this is for WebSocket clients\n" : "there is nothing at this path\n");
    // A body that is still on its way is of no interest.
    request.resume();
  }

  /** The most specific match: the path itself before every path. */
  private siteOf(request: IncomingMessage): Site | undefined {
    return this.sites.get(pathOf(request)) ?? this.sites.get(undefined);
  }
}

/** Of the request target, as it was sent, without the query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  const path = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "").replace(/[?#].*$/s, "");
  return path === "" ? "/" : path;
}

function notListening(settings: ListenerSettings, cause: NodeJS.ErrnoException): Error {
  const address = addressText(settings);
  const code = cause.code ?? cause.message;
  const never = NEVER[code];
  if (never !== undefined) return websocketErrors.LISTEN_NEVER({ address, reason: never }, { cause });
  const reason = code === "EADDRINUSE" ? "somebody listens there already" : code;
  return websocketErrors.LISTEN({ address, reason }, { cause });
}
