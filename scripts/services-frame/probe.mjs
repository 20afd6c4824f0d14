// What a readiness probe needs: to say some bytes of a protocol to a port of this machine and look at the answer.
import { connect, createServer } from "node:net";

/**
 * Connects to 127.0.0.1, sends `question` and resolves with the first bytes that come back, at least `atLeast` of them.
 * Rejects when nothing is there, when the peer hangs up first, or when it is silent for two seconds.
 * @param {number} port
 * @param {string | Uint8Array} question
 * @param {number} atLeast
 * @returns {Promise<Buffer>}
 */
export function ask(port, question, atLeast = 1) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    let answer = Buffer.alloc(0);
    socket.setTimeout(2000, () => socket.destroy(new Error(`port ${port} is silent`)));
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`port ${port} hung up`)));
    socket.on("connect", () => socket.write(question));
    socket.on("data", (bytes) => {
      answer = Buffer.concat([answer, bytes]);
      if (answer.length < atLeast) return;
      resolve(answer);
      socket.destroy();
    });
  });
}

/**
 * Whether a server could listen there now.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
export function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port }, () => server.close(() => resolve(true)));
  });
}
