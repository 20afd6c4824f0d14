import { Message } from "@mqb/core/plugin";
import { type ConnectorUnderTest, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";
import { addressOf, freshName, NATS_URL, serverUrl, urlOf, withServer } from "./servers.ts";
import { makeConsumer, removeStream, request } from "./system.ts";

/** What is on the way when a connection breaks comes again after this time; 30 seconds in a consumer that is made here. */
const ACK_WAIT_MS = 1000;

/** A stream of its own for each test. */
function streamed(url: string): ConnectorUnderTest {
  return {
    plugin,
    endpoint: "nats",
    config: { input: { url, stream: "s", subject: "s.a" }, output: { url, stream: "s", subject: "s.a" } },
    fixture: {
      server: addressOf(url),
      holds: { oddMetadata: false, metadataSpaces: false },
      shares: ["input", "output"],
      counts: true,
      noticesSilence: true,
      patienceMs: 20_000,
      refused: () => tooLarge(),
      bad: [
        { name: "an input without a stream", side: "input", config: { url, subject: "a" } },
        { name: "an output to a wildcard", side: "output", config: { url, stream: "s", subject: "s.*" } },
        {
          name: "a subject outside of the stream",
          side: "output",
          config: { url, stream: freshName(), subject: freshName() },
        },
        { name: "no stream for the subject", side: "output", config: { url, subject: freshName() } },
      ],
      fresh: async () => {
        const stream = freshName();
        const side = { stream, subject: `${stream}.a` };
        await makeConsumer(url, side.stream, side.subject, ACK_WAIT_MS);
        return {
          input: { url, ...side },
          output: { url, ...side },
          via: (address) => ({ input: { url: urlOf(address), ...side }, output: { url: urlOf(address), ...side } }),
          request: (message) => request(url, side.subject, message, "header"),
          cleanup: () => removeStream(url, stream),
        };
      },
    },
  };
}

/** What the server does not take, since it has a limit of two mebibytes. */
function tooLarge(): Message {
  return new Message(Buffer.alloc(3 * 1024 * 1024));
}

const OLD_URL = serverUrl("nats-old", "nats://127.0.0.1:24252");

await withServer("nats", NATS_URL, () => testConnector({ describe, it }, streamed(NATS_URL)));
await withServer("nats-old", OLD_URL, () =>
  describe("nats-server 2.9", () => testConnector({ describe, it }, streamed(OLD_URL))),
);
