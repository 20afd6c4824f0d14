import { API_VERSION, batchOf, definePlugin, Message, type MessageBatch } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, ScriptedConsumer, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import standard from "../../src/index.ts";
import { switchSchema } from "../../src/switch/config.ts";
import { NEVER } from "../opened.ts";

/** True for payloads that are the expression; every message lacks the field of that name that is not in its payload. */
function language() {
  const looks: number[] = [];
  const plugin = definePlugin({
    name: "words",
    apiVersion: API_VERSION,
    expressions: {
      predicate: (source) => ({
        test: (batch: MessageBatch) => ({
          matched: Uint32Array.from(texts(batch).flatMap((text, index) => (text === source ? [index] : []))),
        }),
        absent(batch, index) {
          looks.push(index);
          return texts(batch)[index]!.includes(source) ? [] : [source];
        },
      }),
      evaluator: () => {
        throw new Error("not needed here");
      },
      computation: () => {
        throw new Error("not needed here");
      },
    },
  });
  return { plugin, looks };
}

const some = (...payloads: string[]) => batchOf(payloads.map((text) => new Message(text)));
const filter = standard.middlewares!["filter"]!;
const settings = { expression: "amout", on_error: "fail" };

async function filteredSink(draining = true) {
  const { plugin, looks } = language();
  const context = fakeContext({ plugins: [plugin], side: "output", draining });
  const publisher = await filter.output!(new CollectingPublisher(), settings, context);
  return { publisher, looks, said: () => context.log.at("warn") };
}

describe("a filter that has kept nothing", () => {
  it("names the field that no message had, once, at the end of a drain", async () => {
    const { publisher, said } = await filteredSink();
    await publisher.send(some("a", "b"), NEVER);
    await publisher.send(some("c"), NEVER);
    expect(said()).toEqual([]);
    await publisher.close();
    await publisher.close();
    expect(said()).toEqual(["the filter has kept none of 3 message(s): they have no amout; is a name misspelt?"]);
  });

  it.each<[string, string[][]]>([
    ["one message had the field", [["a", "the amout"]]],
    ["a message of a later batch had the field", [["a"], ["the amout", "b"]]],
    ["something was kept", [["a"], ["amout"], ["b"]]],
    ["there was nothing", []],
  ])("says nothing when %s", async (_, batches) => {
    const { publisher, said } = await filteredSink();
    for (const batch of batches) await publisher.send(some(...batch), NEVER);
    await publisher.close();
    expect(said()).toEqual([]);
  });

  it("says nothing when a route is stopped: more may have come", async () => {
    const { publisher, said } = await filteredSink(false);
    await publisher.send(some("a"), NEVER);
    await publisher.close();
    expect(said()).toEqual([]);
  });

  it("looks at a hundred messages of the first batch, and at one of each later batch", async () => {
    const { publisher, looks } = await filteredSink();
    await publisher.send(some(...new Array<string>(1000).fill("a")), NEVER);
    expect(looks).toHaveLength(100);
    await publisher.send(some(...new Array<string>(1000).fill("a")), NEVER);
    expect(looks).toHaveLength(101);
  });

  it("says so on an input too", async () => {
    const source = new ScriptedConsumer();
    const context = fakeContext({ plugins: [language().plugin], draining: true });
    const consumer = await filter.input!(source, settings, context);
    source.push(some("a", "b"));
    await (await consumer.receive(10, NEVER)).commit();
    await consumer.close();
    expect(context.log.at("warn")).toEqual([
      "the filter has kept none of 2 message(s): they have no amout; is a name misspelt?",
    ]);
  });
});

describe("a switch", () => {
  it("names the expressions that were never true because of a field that no message had", async () => {
    const sinks = new CollectingPublisher();
    const context = fakeContext({
      plugins: [language().plugin],
      side: "output",
      draining: true,
      openPublisher: async () => sinks,
    });
    const config = { when: ["a", "kind", "b"].map((one) => ({ if: one, to: "x" })), default: "y" };
    const publisher = await standard.endpoints!["switch"]!.output!.open(switchSchema.parse(config), context);
    await publisher.send(some("a", "kinds of b"), NEVER);
    await publisher.send(some("a", "a"), NEVER);
    await publisher.close();
    await publisher.close();
    expect(context.log.at("warn")).toEqual([]);
    const other = await standard.endpoints!["switch"]!.output!.open(switchSchema.parse(config), context);
    await other.send(some("a", "c"), NEVER);
    await other.close();
    await other.close();
    expect(context.log.at("warn")).toEqual([
      "switch: `if: kind` was true for none of 1 message(s): they have no kind; is a name misspelt?",
      "switch: `if: b` was true for none of 1 message(s): they have no b; is a name misspelt?",
    ]);
  });
});
