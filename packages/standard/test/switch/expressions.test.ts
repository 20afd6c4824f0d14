import {
  ACCEPTED,
  API_VERSION,
  batchOf,
  definePlugin,
  FILTERED,
  failed,
  Message,
  type MessageBatch,
} from "@mqb/core/plugin";
import { texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { rejected } from "../failures.ts";
import { NEVER } from "../opened.ts";
import { setUp } from "./setup.ts";

/** An expression `x` is true for payloads that hold `x`, and cannot be computed for those that hold `x!`. */
function recording() {
  const tested: [string, string[]][] = [];
  const plugin = definePlugin({
    name: "contains",
    apiVersion: API_VERSION,
    expressions: {
      predicate: (source) => ({
        test(batch: MessageBatch) {
          const all = texts(batch);
          tested.push([source, all]);
          const positions = all.map((_, index) => index);
          return {
            matched: Uint32Array.from(
              positions.filter((at) => all[at]!.includes(source) && !all[at]!.includes(`${source}!`)),
            ),
            failed: positions
              .filter((at) => all[at]!.includes(`${source}!`))
              .map((index) => ({ index, error: rejected })),
          };
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
  return { tested, plugin };
}

const WHEN = {
  when: [
    { if: "a", to: "A" },
    { if: "b", to: "B" },
  ],
  default: "D",
};
const payloads = (...list: string[]) => batchOf(list.map((text) => new Message(text)));

it("sends each message where the first true expression says", async () => {
  const { tested, plugin } = recording();
  const { sinks, publisher } = await setUp(WHEN, plugin);
  expect(await publisher.send(payloads("b1", "ab", "c", "a1", "b2"), NEVER)).toBeUndefined();
  expect(Object.fromEntries(Object.entries(sinks).map(([name, sink]) => [name, texts(sink.messages)]))).toEqual({
    A: ["ab", "a1"],
    B: ["b1", "b2"],
    D: ["c"],
  });
  // Once per expression and batch, and a later one only for what no earlier one took.
  expect(tested).toEqual([
    ["a", ["b1", "ab", "c", "a1", "b2"]],
    ["b", ["b1", "c", "b2"]],
  ]);
});

it("fails a message that an expression cannot be computed for, and no other", async () => {
  const { sinks, publisher } = await setUp(WHEN, recording().plugin);
  expect(await publisher.send(payloads("a!", "b", "b!", "c"), NEVER)).toEqual([
    failed(rejected),
    ACCEPTED,
    failed(rejected),
    ACCEPTED,
  ]);
  expect(texts(sinks["D"]!.messages)).toEqual(["c"]);
});

it("does not compute what it need not: a message that was taken is not failed by a later expression", async () => {
  const { publisher } = await setUp(WHEN, recording().plugin);
  expect(await publisher.send(payloads("a b!"), NEVER)).toBeUndefined();
});

it("drops what no expression is true for where there is no default, and fails what cannot be told", async () => {
  const { publisher } = await setUp({ when: WHEN.when }, recording().plugin);
  expect(await publisher.send(payloads("c", "a!", "a"), NEVER)).toEqual([FILTERED, failed(rejected), ACCEPTED]);
  expect(publisher.status!()).toMatchObject({ details: { unmatched: 1 } });
});
