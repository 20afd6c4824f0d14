import { Message } from "@mqb/core/plugin";
import { testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin, { type HttpOptions } from "../src/index.ts";
import { answering, type Stub } from "./support.ts";

const FRAME = new Set(["host", "connection", "content-length", "keep-alive"]);

/** A server that keeps what it is sent, and refuses one message for good. */
async function store(): Promise<{ readonly server: Stub; readonly kept: Message[] }> {
  const kept: Message[] = [];
  const server = await answering((request, body, response) => {
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    if (body.toString() === "refuse me") {
      response.writeHead(422).end("no");
      return;
    }
    const metadata = new Map<string, string>();
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      const name = request.rawHeaders[i]!.toLowerCase();
      if (!FRAME.has(name)) metadata.set(name, Buffer.from(request.rawHeaders[i + 1]!, "latin1").toString());
    }
    kept.push(new Message(body, metadata));
    response.end();
  });
  return { server, kept };
}

for (const [name, options] of Object.entries<Partial<HttpOptions>>({
  "one at a time": { batch_concurrency: 1 },
  defaults: {},
})) {
  testConnector(
    { describe: (title, body) => describe(`${title} as a sink, ${name}`, body), it },
    {
      plugin,
      endpoint: "http",
      config: { output: { url: "http://127.0.0.1:1", ...options } },
      fixture: {
        patienceMs: 30_000,
        timeoutMs: 120_000,
        holds: { oddMetadata: false, metadataCase: false, metadataSpaces: false, ids: false },
        refused: () => new Message("refuse me"),
        async fresh() {
          const { server, kept } = await store();
          return {
            output: { url: server.url, ...options },
            read: async () => kept,
            cleanup: async () => {
              await server[Symbol.asyncDispose]();
            },
          };
        },
      },
    },
  );
}
