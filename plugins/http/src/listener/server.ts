import { createServer, type Server } from "node:http";
import { createServer as createH2c, createSecureServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { createServer as createSecure } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock } from "@mqb/core/plugin";
import type { TlsMaterial } from "@mqb/tls";
import { codeOfSystem, errors, reasonOf } from "../errors.ts";
import { formatAddress, type ListenAddress } from "./address.ts";
import type { Request, Response, ServerProtocol } from "./protocol.ts";
import { Sniffer } from "./sniffer.ts";

export interface ServerSettings {
  readonly tls: TlsMaterial | undefined;
  readonly protocol: ServerProtocol;
  /** How long a client may take to send a head. */
  readonly headTimeoutMs: number;
  /** How long an idle connection is kept [95000]. */
  readonly keepAliveMs?: number;
  /** Processes share the port. */
  readonly reusePort: boolean;
}

export interface ServerEvents {
  request(request: Request, response: Response, expects: boolean): void;
  /** The server stopped listening by itself. */
  failed(error: unknown): void;
}

/** Longer than clients and proxies keep connections, so that it is they who close an idle one. */
const KEEP_ALIVE_MS = 95_000;
/** How long answers that are being written have at the end. */
const CLOSE_MS = 1000;
const MAX_STREAMS = 250;

type AnyServer = Server | Http2Server;

/** A server for one address in the protocols that it may speak. */
export class HttpServer {
  private readonly settings: ServerSettings;
  private readonly clock: Clock;
  private readonly events: ServerEvents;
  private readonly server: AnyServer;
  /** Speaks HTTP/2 on the connections that the first one hands over. */
  private readonly h2c: Http2Server | undefined;
  private readonly sniffer: Sniffer | undefined;
  private readonly sockets = new Set<Socket>();
  private readonly raw = new Set<Socket>();
  private readonly sessions = new Set<ServerHttp2Session>();
  private closing: Promise<void> | undefined;

  constructor(settings: ServerSettings, clock: Clock, events: ServerEvents) {
    this.settings = settings;
    this.clock = clock;
    this.events = events;
    this.server = this.make();
    const cleartext = !settings.tls;
    if (cleartext && settings.protocol === "auto") {
      this.h2c = createH2c({ settings: { maxConcurrentStreams: MAX_STREAMS } });
      this.serve(this.h2c);
      this.sniffer = new Sniffer(this.server as Server, this.h2c, settings.headTimeoutMs);
    }
    this.serve(this.server);
    this.track();
  }

  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? 0;
  }

  listen({ host, port }: ListenAddress): Promise<void> {
    const address = formatAddress({ host, port });
    return new Promise((resolve, reject) => {
      const refused = (error: Error): void => {
        const inUse = codeOfSystem(error) === "EADDRINUSE";
        const reason = reasonOf(error);
        reject(
          inUse
            ? errors.IN_USE({ address }, { cause: error })
            : errors.CANNOT_LISTEN({ address, reason }, { cause: error }),
        );
      };
      this.server.once("error", refused);
      this.server.listen({ host, port, ...(this.settings.reusePort && { reusePort: true }) }, () => {
        this.server.off("error", refused);
        this.server.on("error", this.events.failed);
        resolve();
      });
    });
  }

  close(): Promise<void> {
    return (this.closing ??= this.shut());
  }

  private make(): AnyServer {
    const { tls, protocol, headTimeoutMs, keepAliveMs = KEEP_ALIVE_MS } = this.settings;
    const http1 = {
      headersTimeout: headTimeoutMs,
      // Bodies have the time that each route gives them.
      requestTimeout: 0,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: Math.max(20, Math.min(10_000, Math.floor(headTimeoutMs / 4))),
    };
    const http2 = { settings: { maxConcurrentStreams: MAX_STREAMS } };
    if (!tls) return protocol === "http2_only" ? createH2c(http2) : createServer(http1);
    if (protocol === "http1_only") return createSecure({ ...tls, ...http1, ALPNProtocols: ["http/1.1"] });
    const allowHTTP1 = protocol === "auto";
    const server = createSecureServer({ ...tls, ...http2, ...(allowHTTP1 && http1), allowHTTP1 });
    return Object.assign(server, allowHTTP1 ? http1 : {}) as Http2Server;
  }

  private serve(server: AnyServer): void {
    const { request } = this.events;
    const { keepAliveMs = KEEP_ALIVE_MS } = this.settings;
    // Node would drop those beyond a number without a word; the size of a head is bounded all the same.
    Object.assign(server, { maxHeadersCount: 0 });
    server.on("request", (req: Request, res: Response) => request(req, res, false));
    server.on("checkContinue", (req: Request, res: Response) => request(req, res, true));
    server.on("session", (session: ServerHttp2Session) => {
      this.sessions.add(session);
      let streams = 0;
      session.on("stream", (stream) => {
        streams += 1;
        stream.once("close", () => {
          streams -= 1;
        });
      });
      // Also one that the client has broken stays open until somebody ends it. The time may run out while there are streams,
      // and again after them, so that it is no listener for one time only.
      session.on("timeout", () => {
        if (streams === 0) session.destroy();
      });
      session.setTimeout(keepAliveMs);
      session.on("error", () => {});
      session.once("close", () => this.sessions.delete(session));
    });
  }

  /** The connections that speak HTTP/1; those of HTTP/2 belong to their sessions. */
  private track(): void {
    const { tls, protocol } = this.settings;
    this.server.on("connection", (socket: Socket) => keep(this.raw, socket));
    if (tls) {
      this.server.on("secureConnection", (socket: TLSSocket) => {
        if (socket.alpnProtocol !== "h2") keep(this.sockets, socket);
      });
    } else if (this.sniffer) this.sniffer.http1 = (socket) => keep(this.sockets, socket);
    else if (protocol === "http1_only") this.server.on("connection", (socket: Socket) => keep(this.sockets, socket));
  }

  private async shut(): Promise<void> {
    if (!this.server.listening) return;
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.h2c?.close();
    this.sniffer?.close();
    for (const socket of this.sockets) socket.destroySoon();
    for (const session of this.sessions) session.close();
    const cancel = this.clock.timer(CLOSE_MS, () => {
      for (const session of this.sessions) session.destroy();
      for (const socket of this.raw) socket.destroy();
    });
    // What has not finished its handshake has nothing to wait for.
    if (this.settings.tls && this.sockets.size === 0 && this.sessions.size === 0) {
      for (const socket of this.raw) socket.destroy();
    }
    await closed;
    cancel();
  }
}

function keep(set: Set<Socket>, socket: Socket): void {
  set.add(socket);
  socket.once("close", () => set.delete(socket));
}
