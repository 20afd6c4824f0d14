import type { Consumer, MiddlewareDefinition, OpenContext, Side } from "@mqb/core/plugin";
import { checkConfig } from "../fakes/check-config.ts";
import { CollectingPublisher } from "../fakes/collecting-publisher.ts";
import { fakeContext } from "../fakes/context.ts";
import { messages } from "../fakes/messages.ts";
import { ScriptedConsumer } from "../fakes/scripted-consumer.ts";
import type { InputLab, MiddlewareLab, MiddlewareSubject, MiddlewareUnderTest, OutputLab } from "./types.ts";

/** Opens the middleware around a scripted source. */
export async function inputLab(subject: MiddlewareSubject): Promise<InputLab> {
  const { definition, tested } = subject;
  const lab = labFor(subject, "input");
  const source = new ScriptedConsumer();
  source.ofClass = true;
  const config = configFor(definition, tested, "input");
  const consumer = await definition.input!(counting(source, lab.context), config, lab.context);
  return { ...lab, source, consumer, [Symbol.asyncDispose]: () => lab.settled(consumer.close()) };
}

/** Opens the middleware around a collecting sink. */
export async function outputLab(subject: MiddlewareSubject): Promise<OutputLab> {
  const { definition, tested } = subject;
  const lab = labFor(subject, "output");
  const sink = new CollectingPublisher();
  const config = configFor(definition, tested, "output");
  const publisher = await definition.output!(sink, config, lab.context);
  const dispose = async (): Promise<void> => {
    sink.release();
    await lab.settled(publisher.close());
  };
  return { ...lab, sink, publisher, [Symbol.asyncDispose]: dispose };
}

/** The checked configuration that the suite is run with. */
export function configFor(definition: MiddlewareDefinition, tested: MiddlewareUnderTest, side: Side): unknown {
  const raw = typeof tested.config === "function" ? (tested.config as (side: Side) => unknown)(side) : tested.config;
  return checkConfig(definition.schema, raw ?? {}, `middlewares[0].${tested.middleware}`);
}

function labFor(subject: MiddlewareSubject, side: Side): Omit<MiddlewareLab, typeof Symbol.asyncDispose> {
  const { tested } = subject;
  const path = `${side}.middlewares[0].${tested.middleware}`;
  const given = tested.context?.() ?? {};
  const context = fakeContext({ ...given, plugins: [tested.plugin, ...(given.plugins ?? [])], side, path });
  const message = (n: number) =>
    tested.message ? tested.message(n, side) : messages(1, { from: n, metadata: true })[0]!;
  return {
    subject,
    context,
    message,
    messages: (count, from = 0) => Array.from({ length: count }, (_, i) => message(from + i)),
    settled: (promise) => context.clock.runUntil(promise, undefined, tested.patienceMs),
  };
}

/** Counts what the source gives, as the route does directly over the transport. */
function counting(source: ScriptedConsumer, context: OpenContext): Consumer {
  return {
    async receive(max, signal) {
      const delivery = await source.receive(max, signal);
      context.accounting.receive(delivery.batch.length);
      return delivery;
    },
    close: () => source.close(),
    status: () => source.status(),
  };
}
