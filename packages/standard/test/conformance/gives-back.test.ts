import { fakeContext, lineBatch, ScriptedConsumer } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";
import { fakeExpressions } from "../fake-expressions.ts";
import { NEVER } from "../opened.ts";

const CONFIGURATIONS: Readonly<Record<string, unknown>> = {
  filter: { expression: "nothing has this", on_error: "fail" },
  id: "${message:id}",
  metrics: {},
};
const keepers = Object.entries(standard.middlewares!).filter(([, { keepsNothing, input }]) => keepsNothing && input);

it("is known here which middlewares of an input keep nothing", () => {
  expect(keepers.map(([name]) => name).sort()).toEqual(Object.keys(CONFIGURATIONS));
});

it.each(keepers)("%s hands the memory of a batch back to the source", async (name, middleware) => {
  const source = new ScriptedConsumer().push(lineBatch(3));
  let released = 0;
  const receive = source.receive.bind(source);
  source.receive = async (max, signal) => ({ ...(await receive(max, signal)), release: () => void released++ });
  const context = fakeContext({ plugins: [fakeExpressions] });
  const consumer = await middleware.input!(source, CONFIGURATIONS[name], context);
  const delivery = await consumer.receive(10, NEVER);
  await delivery.commit();
  expect(released).toBe(0);
  delivery.release!();
  expect(released).toBe(1);
});

it("a filter hands back what it has emptied, and each part of what it has filled again", async () => {
  for (const left of [0, 2]) {
    const source = new ScriptedConsumer();
    const batch = lineBatch(4);
    source.push(batch).push(lineBatch(1));
    let released = 0;
    const receive = source.receive.bind(source);
    source.receive = async (max, signal) => ({ ...(await receive(max, signal)), release: () => void released++ });
    const predicate = {
      test: ({ length }: { length: number }) => ({
        matched: Uint32Array.from({ length: length === 4 ? left : length }, (_, i) => i),
      }),
    };
    const expressions = () => ({ predicate: () => predicate }) as never;
    const context = { ...fakeContext({ below: { acknowledges: true } }), expressions };
    const settings = { expression: "x", on_error: "fail" };
    const consumer = await standard.middlewares!["filter"]!.input!(source, settings, context);
    const delivery = await consumer.receive(4, NEVER);
    await delivery.commit();
    delivery.release!();
    expect(released).toBe(source.deliveries.length);
  }
});
