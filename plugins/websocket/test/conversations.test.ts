import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { eventually } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { freePort, Talker } from "./support.ts";

const registry = createRegistry([plugin, standard]);

describe("clients of a route that answers", () => {
  it("get the answers to their own messages, and no others", async () => {
    const port = await freePort();
    const url = `127.0.0.1:${port}`;
    const route = createBridge({ registry }).route("echo", {
      input: { websocket: { url } },
      output: { response: {} },
      concurrency: 8,
      batch_size: 7,
    });
    await route.start();
    const clients = await Promise.all(Array.from({ length: 20 }, () => Talker.connect(`ws://${url}`)));
    for (let n = 0; n < 50; n++) {
      for (const [i, { socket }] of clients.entries()) socket.send(`${i} ${n}`);
    }
    for (const [i, client] of clients.entries()) {
      const texts = await client.texts(50);
      expect(texts.sort(byNumber)).toEqual(Array.from({ length: 50 }, (_, n) => `${i} ${n}`));
    }
    await route.stop();
    expect(await Promise.all(clients.map(({ closed }) => closed))).toEqual(
      clients.map(() => ({ code: 1001, reason: "the route is closed" })),
    );
  });

  it("are answered before the route closes, and told that it goes away", async () => {
    const port = await freePort();
    const route = createBridge({ registry }).route("echo", {
      input: { websocket: { url: `127.0.0.1:${port}` } },
      output: { static: { body: "done", raw: true }, middlewares: [{ delay: { delay_ms: 50 } }] },
    });
    await route.start();
    const client = await Talker.connect(`ws://127.0.0.1:${port}`);
    client.socket.send("a question");
    await eventually(() => route.status().accounting.received > 0, "the question");
    await route.stop();
    expect(await client.closed).toMatchObject({ code: 1001 });
    expect(await client.texts(1)).toEqual(["done"]);
  });
});

function byNumber(a: string, b: string): number {
  return Number(a.split(" ")[1]) - Number(b.split(" ")[1]);
}
