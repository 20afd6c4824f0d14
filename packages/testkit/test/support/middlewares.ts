import {
  ACCEPTED,
  ACK,
  API_VERSION,
  type ConfigSchema,
  type Consumer,
  type Delivery,
  type Disposition,
  defineMiddleware,
  definePlugin,
  FILTERED,
  type Message,
  type MessageBatch,
  type MiddlewareDefinition,
  type OpenContext,
  type Outcome,
  type Plugin,
  type Publisher,
  scatter,
} from "@mqb/core/plugin";

/** `{}` and nothing else. */
export const NO_OPTIONS: ConfigSchema<Record<string, never>> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate(value) {
      const keys = Object.keys(value as object);
      if (keys.length > 0) return { issues: keys.map((key) => ({ message: `unknown key "${key}"`, path: [key] })) };
      return { value: {} };
    },
  },
};

export type InputWrap = (inner: Consumer, context: OpenContext) => Consumer;
export type OutputWrap = (inner: Publisher, context: OpenContext) => Publisher;

/** A plugin with one middleware, `mw`, made of the given sides. */
export function middlewarePlugin(
  sides: { readonly input?: InputWrap | undefined; readonly output?: OutputWrap | undefined },
  more: Partial<MiddlewareDefinition<Record<string, never>>> = {},
): Plugin {
  const { input, output } = sides;
  const mw = defineMiddleware({
    description: "A middleware of a test.",
    schema: NO_OPTIONS,
    ...(input && { input: (inner: Consumer, _: unknown, context: OpenContext) => input(inner, context) }),
    ...(output && { output: (inner: Publisher, _: unknown, context: OpenContext) => output(inner, context) }),
    ...more,
  });
  return definePlugin({ name: "reference", apiVersion: API_VERSION, middlewares: { mw } });
}

export const passConsumer: InputWrap = (inner) => ({
  receive: (max, signal) => inner.receive(max, signal),
  close: () => inner.close(),
  status: () => inner.status!(),
});

export const passPublisher: OutputWrap = (inner) => ({
  send: (batch, signal) => inner.send(batch, signal),
  flush: async () => inner.flush?.(),
  close: () => inner.close(),
  status: () => inner.status!(),
});

export const unwanted = (message: Message): boolean => message.text().startsWith("unwanted");

/** Takes unwanted messages out of what is received. */
export const filterConsumer: InputWrap = (inner, { accounting }) => ({
  ...passConsumer(inner, undefined as never),
  async receive(max, signal): Promise<Delivery> {
    const delivery = await inner.receive(max, signal);
    const kept = keptOf(delivery.batch);
    if (kept.length === delivery.batch.length) return delivery;
    accounting.settle("filtered", delivery.batch.length - kept.length);
    const batch = delivery.batch.select(kept);
    const commit = (dispositions?: readonly Disposition[]): Promise<void> =>
      delivery.commit(dispositions && scatter(delivery.batch.length, kept, dispositions, ACK, ACK));
    return batch.length === 0 ? { batch, emptied: true, commit } : { batch, commit };
  },
});

/** Takes unwanted messages out of what is sent. */
export const filterPublisher: OutputWrap = (inner) => ({
  ...passPublisher(inner, undefined as never),
  async send(batch, signal): Promise<readonly Outcome[] | undefined> {
    const kept = keptOf(batch);
    if (kept.length === batch.length) return inner.send(batch, signal);
    const outcomes = kept.length === 0 ? undefined : await inner.send(batch.select(kept), signal);
    return scatter<Outcome>(batch.length, kept, outcomes, ACCEPTED, FILTERED);
  },
});

export function keptOf(batch: MessageBatch): Uint32Array {
  return Uint32Array.from(Array.from(batch, (message, i) => (unwanted(message) ? -1 : i)).filter((i) => i >= 0));
}
