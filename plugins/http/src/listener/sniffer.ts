import type { Server } from "node:http";
import type { Http2Server } from "node:http2";
import type { Socket } from "node:net";

const PREFACE = Buffer.from("PRI");

/**
 * Tells HTTP/2 by prior knowledge from HTTP/1 on one port, by the first bytes of each connection: no request of HTTP/1
 * begins with `PRI`.
 */
export class Sniffer {
  /** Told of each connection that speaks HTTP/1. */
  http1: (socket: Socket) => void = () => {};
  private readonly h2c: Http2Server;
  private readonly silent = new Set<Socket>();
  private readonly timeoutMs: number;
  private readonly take: (socket: Socket) => void;

  /** Takes over the new connections of the server. */
  constructor(server: Server, h2c: Http2Server, timeoutMs: number) {
    this.h2c = h2c;
    this.timeoutMs = timeoutMs;
    const own = server.listeners("connection") as ((socket: Socket) => void)[];
    server.removeAllListeners("connection");
    this.take = (socket) => {
      for (const one of own) one.call(server, socket);
    };
    server.on("connection", (socket) => this.wait(socket, undefined));
  }

  /** Ends the connections that have said nothing yet. */
  close(): void {
    for (const socket of this.silent) socket.destroy();
  }

  private wait(socket: Socket, before: Buffer | undefined): void {
    this.silent.add(socket);
    const gone = (): void => {
      this.silent.delete(socket);
    };
    const failed = (): void => {
      socket.destroy();
    };
    socket.on("error", failed);
    socket.once("close", gone);
    socket.setTimeout(this.timeoutMs, failed);
    socket.once("data", (chunk: Buffer) => {
      socket.pause();
      socket.off("error", failed);
      socket.off("close", gone);
      socket.off("timeout", failed);
      socket.setTimeout(0);
      gone();
      const seen = before ? Buffer.concat([before, chunk]) : chunk;
      if (seen.length < PREFACE.length && seen.equals(PREFACE.subarray(0, seen.length))) {
        this.wait(socket, seen);
        socket.resume();
        return;
      }
      socket.unshift(seen);
      if (seen.subarray(0, PREFACE.length).equals(PREFACE)) {
        // Servers of HTTP/1 leave their side open when the client has ended its own; those of HTTP/2 do not look at it.
        socket.allowHalfOpen = false;
        this.h2c.emit("connection", socket);
      } else {
        this.http1(socket);
        this.take(socket);
      }
      process.nextTick(() => socket.resume());
    });
  }
}
