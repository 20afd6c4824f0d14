import { batchOf, Message } from "@mqb/core/plugin";
import { CollectingPublisher, type FakeScope, fakeContext, ScriptedConsumer } from "@mqb/testkit";
import { cookieJarSchema } from "../../src/cookie-jar/config.ts";
import standard from "../../src/index.ts";
import { NEVER } from "../opened.ts";

interface Options {
  readonly scope?: FakeScope;
  readonly session?: Map<string, unknown>;
}

/** A cookie_jar on an output, whose sink answers with the metadata of `answers`, one after another. */
export async function jarOnOutput(config: object = {}, options: Options = {}) {
  const context = fakeContext({ ...options, side: "output" });
  const sink = new CollectingPublisher();
  const publisher = await standard.middlewares!["cookie_jar"]!.output!(sink, cookieJarSchema.parse(config), context);
  /** Sends one message; what the sink got, and the metadata of the answer. */
  const request = async (metadata: Record<string, string> = {}, answer?: Record<string, string>) => {
    sink.replyWith(answer && (() => new Message("r", new Map(Object.entries(answer)))));
    const message = new Message("a", new Map(Object.entries(metadata)));
    const [outcome] = (await publisher.send(batchOf([message]), NEVER)) ?? [];
    const answered = outcome?.type === "replied" ? outcome.message.metadata : new Map<string, string>();
    return { sent: Object.fromEntries(sink.messages.at(-1)!.metadata), answered: Object.fromEntries(answered) };
  };
  return { clock: context.clock, sink, publisher, request };
}

/** A cookie_jar on an input. */
export async function jarOnInput(config: object = {}, options: Options = {}) {
  const source = new ScriptedConsumer();
  const settings = cookieJarSchema.parse(config);
  const consumer = await standard.middlewares!["cookie_jar"]!.input!(source, settings, fakeContext(options));
  const receive = async (metadata: Record<string, string>) => {
    source.push([new Message("a", new Map(Object.entries(metadata)))]);
    return Object.fromEntries((await consumer.receive(1, NEVER)).batch.metadata(0));
  };
  return { source, receive };
}
