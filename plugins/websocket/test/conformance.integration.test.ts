import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Message } from "@mqb/core/plugin";
import { testCertificates, testConnector, within } from "@mqb/testkit";
import { afterAll, describe, it } from "vitest";
import plugin from "../src/index.ts";
import { Relay } from "./relay.ts";
import { freePort, Talker } from "./support.ts";

const { ca, server } = testCertificates();
const identity = { cert_file: server.cert, key_file: server.key };
/** A frame is a payload and nothing else. */
const holds = { metadata: false, ids: false };

for (const scheme of ["ws", "wss"]) {
  const secure = scheme === "wss";
  const relay = await Relay.start(secure);
  const client = secure ? { tls: { ca_file: ca } } : {};
  const listener = secure ? { tls: { ...identity, required: true } } : {};
  afterAll(() => relay.stop());
  let places = 0;

  describe(`an input that listens and an output at a server that passes everything on to it, ${scheme}://`, () => {
    testConnector(
      { describe, it },
      {
        plugin,
        endpoint: "websocket",
        config: { input: { url: "127.0.0.1:9" }, output: { url: "ws://127.0.0.1:9" } },
        fixture: {
          holds,
          async fresh() {
            const port = await freePort();
            const path = `/relayed/${places++}`;
            const feeder = relay.forward(path, port);
            return {
              input: { url: `127.0.0.1:${port}`, path, ...listener },
              output: { url: `${scheme}://localhost:${relay.address.port}${path}`, ...client },
              request: (message) => ask(`${scheme}://localhost:${port}${path}`, message),
              cleanup: () => feeder.stop(),
            };
          },
          listens: (place) => {
            const [host = "", port] = (place.input as { url: string }).url.split(":");
            return { host, port: Number(port) };
          },
        },
      },
    );
  });

  describe(`an output at a server of somebody else, ${scheme}://`, () => {
    testConnector(
      { describe, it },
      {
        plugin,
        endpoint: "websocket",
        config: { output: { url: "ws://127.0.0.1:9" } },
        fixture: {
          holds,
          server: relay.address,
          async fresh() {
            const path = `/kept/${places++}`;
            const at = (port: number) => ({ url: `${scheme}://localhost:${port}${path}`, ...client });
            return {
              output: at(relay.address.port),
              via: ({ port }) => ({ output: at(port) }),
              read: async () => relay.at(path).map(({ data }) => new Message(data)),
            };
          },
        },
      },
    );
  });
}

/** A client that sends one message and waits for the answer to it. */
async function ask(url: string, message: Message): Promise<Message> {
  const talker = await Talker.connect(url, { ca: await readFile(ca) });
  try {
    const answered = once(talker.socket, "message");
    talker.socket.send(message.payload);
    const [data] = (await within(answered, "an answer")) as [Buffer];
    return new Message(data);
  } finally {
    talker.socket.terminate();
  }
}
