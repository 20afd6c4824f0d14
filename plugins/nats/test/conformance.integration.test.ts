import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Message } from "@mqb/core/plugin";
import { type ConnectorUnderTest, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";
import { addressOf, freshName, NATS_URL, SPARE_URL, serverUrl, urlOf, withServer } from "./servers.ts";
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

const services = fileURLToPath(new URL("../../../scripts/services", import.meta.url));
const OLD_URL = serverUrl("nats-old", "nats://127.0.0.1:24252");

const service = (verb: string) => async (): Promise<void> => {
  await promisify(execFile)(services, [verb, "nats-spare"]);
};

/** Core NATS: what is sent while nobody listens is gone. */
const core: ConnectorUnderTest = {
  plugin,
  endpoint: "nats",
  config: coreSides(NATS_URL, "core"),
  fixture: {
    live: true,
    server: addressOf(NATS_URL),
    holds: { oddMetadata: false, metadataSpaces: false },
    refused: tooLarge,
    noticesSilence: true,
    patienceMs: 20_000,
    fresh: async () => {
      const subject = freshName();
      return {
        ...coreSides(NATS_URL, subject),
        via: (address) => coreSides(urlOf(address), subject),
        request: (message) => request(NATS_URL, subject, message, "native"),
      };
    },
  },
};

function coreSides(url: string, subject: string) {
  return {
    input: { url, stream: "any", subject, no_jetstream: true },
    output: { url, subject, no_jetstream: true },
  };
}

await withServer("nats-spare", SPARE_URL, () => {
  const tested = streamed(SPARE_URL);
  const fixture = {
    ...tested.fixture,
    restart: service("restart"),
    kill: async () => {
      await service("kill")();
      await service("up")();
    },
  };
  testConnector({ describe, it }, { ...tested, fixture });
});
await withServer("nats", NATS_URL, () => describe("core NATS", () => testConnector({ describe, it }, core)));
await withServer("nats-old", OLD_URL, () =>
  describe("nats-server 2.9", () => testConnector({ describe, it }, streamed(OLD_URL))),
);
