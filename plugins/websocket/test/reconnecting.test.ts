import { createBridge, createRegistry } from "@mqb/core";
import { type Message, MqbError } from "@mqb/core/plugin";
import { CollectingPublisher, eventually, fakePlugin, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { freePort, Hub, Talker } from "./support.ts";

const SOON = { reconnect_interval_ms: 10 };

/** A sink that keeps what it was sent over reconnects. */
function keeping() {
  const accepted: string[] = [];
  let current = new CollectingPublisher();
  const failures: unknown[] = [];
  const open = (): CollectingPublisher => {
    current = new CollectingPublisher();
    current.failWhen((message: Message) => {
      const failure = failures.shift();
      if (failure === undefined) accepted.push(message.text());
      return failure;
    });
    return current;
  };
  const registry = createRegistry([plugin, fakePlugin({ sink: { publisher: open } })]);
  return { bridge: createBridge({ registry }), accepted, failures };
}

const cut = (): MqbError => new MqbError("TEST_CUT", "connection", "the sink is out of reach");

describe("a route from WebSocket clients", () => {
  it("loses nothing of what it has received when its sink is cut off again and again", async () => {
    const { bridge, accepted, failures } = keeping();
    const url = `127.0.0.1:${await freePort()}`;
    const input = { websocket: { url } };
    const route = bridge.route("r", { input, output: { sink: {} }, batch_size: 3, concurrency: 2, ...SOON });
    await route.start();
    const wanted: string[] = [];
    for (let round = 0; round < 5; round++) {
      const client = await eventually(() => Talker.connect(`ws://${url}`).catch(() => undefined), "a connection");
      const texts = Array.from({ length: 20 }, (_, n) => `${round}.${n}`);
      for (const text of texts) client.socket.send(text);
      wanted.push(...texts);
      // All of them are received before the sink goes away.
      await eventually(
        () => accepted.length + (route.status().input?.pending ?? 0) >= wanted.length - 6,
        "the messages",
      );
      failures.push(cut());
      client.socket.send(`${round} last`);
      wanted.push(`${round} last`);
      await within(client.closed, "the end of the connection, when the route closes both ends");
      await eventually(() => route.status().state === "running", "the next connection");
    }
    await eventually(() => new Set(accepted).size === wanted.length, "every message");
    expect([...new Set(accepted)].sort()).toEqual([...wanted].sort());
    expect(route.status().accounting.dropped).toBe(0);
    await route.stop();
  });
});

describe("a route to a WebSocket server", () => {
  it("connects again when the server closes, however often", async () => {
    await using hub = await Hub.start();
    const url = `127.0.0.1:${await freePort()}`;
    const bridge = createBridge({ registry: createRegistry([plugin]) });
    const output = { websocket: { url: hub.url } };
    const route = bridge.route("r", { input: { websocket: { url } }, output, ...SOON });
    await route.start();
    let server = await hub.first();
    for (let round = 0; round < 5; round++) {
      const client = await Talker.connect(`ws://${url}`);
      client.socket.send(`before ${round}`);
      await eventually(() => server.received.at(-1)?.data.toString() === `before ${round}`, "the message");
      server.socket.close(1012, "restart");
      await within(server.closed, "the close");
      // The next send finds out; its message comes again over the next connection.
      client.socket.send(`after ${round}`);
      server = await eventually(() => hub.talkers[round + 1], "the next connection");
      expect(await server.texts(1)).toEqual([`after ${round}`]);
    }
    expect(route.status().state).toBe("running");
    await route.stop();
  });
});
