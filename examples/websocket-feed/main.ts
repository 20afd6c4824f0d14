import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import websocket from "@mqb/websocket";

const bridge = createBridge({ registry: createRegistry([standard, file, websocket]) });

// Whoever connects to /prices sends prices, one in each frame.
const texts: string[] = [];
const listener = bridge.route(
  "listener",
  {
    batch_size: 1,
    input: { websocket: { url: "127.0.0.1:0", path: "/prices" } },
    output: { file: { path: "out/prices.jsonl", format: "raw" } },
  },
  {
    handler(message) {
      texts.push(`${message.metadata.get("ws_message_type")} on ${message.metadata.get("ws_path")}`);
      if (texts.length === 4) stopped.resolve();
      return message;
    },
  },
);
const stopped = resolvable();
await listener.start();
const address = String(listener.status().input!.details!["bound_addr"]);

const feed = bridge.route("feed", {
  exit_on_empty: true,
  input: { file: { path: "prices.jsonl", format: "raw" } },
  output: { websocket: { url: `ws://${address}/prices` } },
});
await feed.start();
console.log(`the feed has ${(await feed.done).outcome}`);
await stopped.promise;
await listener.stop();
for (const text of texts) console.log(text);

function resolvable(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
