import { createServer } from "node:net";
import { Message } from "@mqb/core/plugin";
import { type ConnectorFixture, testConnector } from "@mqb/testkit";
import { Agent, request as send } from "undici";
import { describe, it } from "vitest";
import type { HttpOptions } from "../src/index.ts";
import plugin from "../src/index.ts";

interface Kind {
  readonly name: string;
  readonly input?: Partial<HttpOptions>;
  readonly output?: Partial<HttpOptions>;
}

const kinds: readonly Kind[] = [
  { name: "defaults" },
  {
    name: "with credentials, compression and ids",
    input: {
      basic_auth: ["user", "s3cret-word"],
      compression_enabled: true,
      idempotency_key_header: "idempotency-key",
    },
    output: { basic_auth: ["user", "s3cret-word"], compression: "zstd", idempotency_key_header: "message-id" },
  },
];

const bad: ConnectorFixture["bad"] = [
  { name: "no address", side: "input", config: { url: "somewhere" } },
  { name: "a port that is none", side: "input", config: { url: "127.0.0.1:70000" } },
  { name: "an address of another machine", side: "input", config: { url: "192.0.2.1:1" } },
  { name: "TLS without a certificate", side: "input", config: { url: "127.0.0.1:1", tls: { required: true } } },
  { name: "a scheme of another protocol", side: "output", config: { url: "ftp://127.0.0.1/x" } },
  { name: "TLS for a URL without", side: "output", config: { url: "http://h/x", tls: { required: true } } },
  {
    name: "a file that is not there",
    side: "output",
    config: { url: "https://h/x", tls: { required: true, ca_file: "/nowhere/ca.pem" } },
  },
  {
    name: "a header with a line break",
    side: "output",
    config: { url: "http://h", custom_headers: { a: "b\r\nc: d" } },
  },
];

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

for (const { name, input, output } of kinds) {
  testConnector(
    { describe: (title, body) => describe(`${title}, ${name}`, body), it },
    {
      plugin,
      endpoint: "http",
      config: { input: { url: "127.0.0.1:1", ...input }, output: { url: "http://127.0.0.1:1", ...output } },
      fixture: {
        live: true,
        patienceMs: 30_000,
        timeoutMs: 120_000,
        bad,
        // What cannot be a header is left out with a warning; see headers.test.ts.
        holds: { oddMetadata: false, metadataCase: false, metadataSpaces: false },
        shares: ["output"],
        listens: (place) => ({ host: "127.0.0.1", port: Number(/\d+$/.exec((place.input as HttpOptions).url)![0]) }),
        async fresh() {
          const port = await freePort();
          return {
            input: { url: `127.0.0.1:${port}`, ...input },
            output: { url: `http://127.0.0.1:${port}/`, ...output },
            async request(message) {
              const agent = new Agent();
              try {
                const credentials = input?.basic_auth?.join(":");
                const headers = credentials && { authorization: `Basic ${btoa(credentials)}` };
                const answer = await send(`http://127.0.0.1:${port}/`, {
                  method: "POST",
                  body: Buffer.from(message.payload),
                  dispatcher: agent,
                  ...(headers && { headers }),
                });
                return new Message(Buffer.from(await answer.body.arrayBuffer()));
              } finally {
                await agent.close();
              }
            },
          };
        },
      },
    },
  );
}
