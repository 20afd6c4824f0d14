import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, definePlugin, Message, type Side } from "@mqb/core/plugin";
import { ANY_CONFIG, CollectingPublisher, fakePlugin, ScriptedConsumer, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { NEVER } from "../opened.ts";
import { entry, mirrored, ROWS, SIDES } from "./rows.ts";
import { traced } from "./traced.ts";
import { workspacePlugins } from "./workspace.ts";

/** What somebody else has written. */
const custom = definePlugin({
  name: "a plugin of the host",
  apiVersion: 1,
  middlewares: {
    custom_one: { description: "", schema: ANY_CONFIG, input: (inner) => inner, output: (inner) => inner },
  },
});
const plugins = [...(await workspacePlugins()), custom];
const definitions = Object.assign({}, ...plugins.map((one) => one.middlewares ?? {})) as Record<string, object>;
const names = Object.keys(definitions).sort();
const on = (side: Side) => names.filter((name) => side in definitions[name]! && name in ROWS);

/** Puts a list around a scripted source and a collecting sink. */
function setUp() {
  const seen: string[] = [];
  const source = new ScriptedConsumer();
  const sink = new CollectingPublisher();
  const fakes = fakePlugin({ source: { consumer: source }, sink: { publisher: sink } });
  const registry = createRegistry([...plugins.map((one) => traced(one, seen)), fakes]);
  return { seen, source, sink, bridge: createBridge({ registry }) };
}

/** What a list of an output makes of a message. */
async function written(list: readonly unknown[], message: Message): Promise<Message> {
  const { sink, bridge } = setUp();
  const publisher = await bridge.openPublisher({ sink: {}, middlewares: list });
  await publisher.send(batchOf([message]), NEVER);
  await publisher.close();
  return sink.messages[0]!;
}

const plain = (): Message => new Message('{"n":1}', new Map([["n", "1"]]));

/** The order in which the middlewares of a list get hold of a message. */
const orders: Readonly<Record<Side, (list: readonly string[]) => Promise<readonly string[]>>> = {
  async input(list) {
    const { seen, source, bridge } = setUp();
    source.push([await written(mirrored(list), plain())]);
    const consumer = await bridge.openConsumer({ source: {}, middlewares: list.map(entry) });
    // What weak_join and lookup make of a payload is nothing that a cipher or codec above them could undo: that fails,
    // behind both.
    const [received] = await within(Promise.allSettled([consumer.receive(10, NEVER)]), `a message passes ${list}`);
    if (received.status === "fulfilled") await received.value.commit();
    await consumer.close();
    return seen;
  },
  async output(list) {
    const { seen, sink, bridge } = setUp();
    const publisher = await bridge.openPublisher({ sink: {}, middlewares: list.map(entry) });
    await within(publisher.send(batchOf([plain()]), NEVER), `a message passes ${list}`);
    await publisher.close();
    expect(sink.messages.length, `${list}`).toBe(1);
    return seen;
  },
};

describe("a message passes a list from the bottom up", () => {
  it("every middleware that there is has its row", () => {
    expect(names.filter((name) => !(name in ROWS))).toEqual([]);
  });

  for (const side of SIDES) {
    it.each(on(side))(
      `on an ${side}: %s with every other one, above and below it`,
      { timeout: 30_000 },
      async (name) => {
        for (const other of on(side)) {
          if (other !== name) expect(await orders[side]([name, other]), `[${name}, ${other}]`).toEqual([other, name]);
        }
      },
    );
  }

  it.each(SIDES)("on an %s: three of them", async (side) => {
    expect(await orders[side](["limiter", "filter", "buffer"])).toEqual(["buffer", "filter", "limiter"]);
  });
});
