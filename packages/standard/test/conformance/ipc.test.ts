import { TempDir, testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import standard from "../../src/index.ts";
import { Relay } from "./ipc-peers.ts";

const url = "ipc:///tmp/mqb-conformance.sock";

for (const enable_nack of [true, false]) {
  describe(`between processes, with enable_nack: ${enable_nack}`, () => {
    testConnector(
      { describe, it },
      {
        plugin: standard,
        endpoint: "memory",
        config: { input: { url, enable_nack }, output: { url } },
        fixture: {
          // A socket keeps nothing while nobody listens; the relay does.
          async fresh() {
            const dir = await TempDir.make();
            const relay = await Relay.between(dir.file("out.sock"), dir.file("in.sock"));
            return {
              input: { url: `ipc://${dir.file("in.sock")}`, enable_nack },
              output: { url: `unix://${dir.file("out.sock")}` },
              async cleanup() {
                relay.stop();
                await dir.remove();
              },
            };
          },
          bad: [
            { name: "an empty name", side: "input", config: { url: "ipc://" } },
            { name: "a relative path", side: "output", config: { url: "unix://q.sock" } },
            { name: "a subscriber", side: "input", config: { url, subscribe_mode: true } },
            { name: "a request", side: "output", config: { url, request_reply: true } },
            { name: "a file in the place of the socket", side: "input", config: { url: "ipc:///proc/self/status" } },
          ],
        },
      },
    );
  });
}
