import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Answers a handshake with a status in place of an upgrade, and closes the connection. */
export function refuse(socket: Duplex, status: number, text: string, headers: readonly string[] = []): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(text)}`,
    ...headers,
  ];
  socket.once("finish", () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}
