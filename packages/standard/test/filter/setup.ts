import type { InputCapabilities } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, ScriptedConsumer } from "@mqb/testkit";
import standard from "../../src/index.ts";
import { fakeExpressions } from "../fake-expressions.ts";

const filter = standard.middlewares!["filter"]!;
const settings = (config: unknown) => {
  const result = filter.schema["~standard"].validate(config);
  if (result instanceof Promise || result.issues) throw new Error("the configuration is refused");
  return result.value;
};

/** A filter that takes out what contains `drop`, around a scripted source. */
export async function filteredSource(config: unknown = "drop", below: Partial<InputCapabilities> = {}) {
  const source = new ScriptedConsumer();
  const context = fakeContext({ plugins: [fakeExpressions], below });
  const consumer = await filter.input!(source, settings(config), context);
  return { source, context, consumer };
}

/** The same around a collecting sink. */
export async function filteredSink(config: unknown = "drop") {
  const sink = new CollectingPublisher();
  const context = fakeContext({ plugins: [fakeExpressions], side: "output" });
  const publisher = await filter.output!(sink, settings(config), context);
  return { sink, context, publisher };
}
