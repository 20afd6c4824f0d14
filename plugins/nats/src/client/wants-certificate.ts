import { connect } from "node:net";

const WAIT_MS = 1000;
const MOST_BYTES = 16 * 1024;

/**
 * Whether a server asks its clients for certificates, which it says in the line that it greets with. In TLS 1.3 its refusal
 * comes after the handshake, and often a reset of the connection is all that is seen of it.
 */
export function wantsCertificate(server: string): Promise<boolean> {
  const colon = server.lastIndexOf(":");
  const host = server.slice(0, colon).replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host, port: Number(server.slice(colon + 1)) });
    const done = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(WAIT_MS, () => done(false));
    socket.on("error", () => done(false));
    socket.on("close", () => done(false));
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n") || text.length > MOST_BYTES) done(/^INFO .*"tls_verify":\s*true/.test(text));
    });
  });
}
