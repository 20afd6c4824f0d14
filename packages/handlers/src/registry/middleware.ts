import {
  ACCEPTED,
  ACK,
  batchOf,
  type Consumer,
  type Delivery,
  defineMiddleware,
  FILTERED,
  type InputCapabilities,
  type MaybePromise,
  type Message,
  type MiddlewareDefinition,
  type OpenContext,
  type Publisher,
  scatter,
} from "@mqb/core/plugin";
import { type Body, describe, messageOf } from "../body.ts";
import { errors } from "../errors.ts";
import { ANY_CONFIG, type FactoryContext, factoryContext } from "./factory.ts";

/**
 * A middleware made of functions. Each gets the messages of a batch and returns a list of the same length: the message or what
 * to put in its place (a payload keeps id and metadata), or `null` to drop it. A dropped message is acknowledged at its source
 * and counts as filtered. A function that is missing lets everything pass.
 */
export interface CodeMiddleware {
  onReceive?(messages: readonly Message[]): MaybePromise<readonly (Body | null | undefined)[]>;
  onSend?(messages: readonly Message[]): MaybePromise<readonly (Body | null | undefined)[]>;
  /** Called once, after the end that it stands before is closed. */
  close?(): MaybePromise<void>;
}

/** Called at each opening, once per place in a route that names the middleware. */
export type MiddlewareFactory<Config = unknown> = (
  route: string,
  config: Config,
  context: FactoryContext,
) => MaybePromise<CodeMiddleware>;

/** What the middleware promises, where that is not what is assumed. */
export interface MiddlewareOptions {
  readonly description?: string;
  /**
   * What `onReceive` gives in the place of a message has the id of that message, whatever id it was made with [false]. Without
   * it nobody knows whether a message that is read again gets the same id, and no route is `effectively_once` by its ids.
   */
  readonly keepIds?: boolean;
}

export function middlewareOf(
  name: string,
  factory: MiddlewareFactory,
  { description = "Made by code of the host", keepIds = false }: MiddlewareOptions = {},
): MiddlewareDefinition {
  const make = async (config: unknown, context: OpenContext): Promise<CodeMiddleware> => {
    const made = await factory(context.route, config, factoryContext(context));
    if (typeof made !== "object" || made === null) throw errors.NO_OBJECT({ name, what: describe(made) });
    return made;
  };
  return defineMiddleware({
    description,
    schema: ANY_CONFIG,
    inputCapabilities: (inner) => (keepIds ? inner : withoutIdentity(inner)),
    async input(inner, config, context) {
      const made = await make(config, context);
      const sift = sieve(name, "onReceive", made, keepIds);
      return changedConsumer(inner, sift, closeOnce(inner, made), (count) => {
        context.accounting.settle("filtered", count);
      });
    },
    async output(inner, config, context) {
      const made = await make(config, context);
      return changedPublisher(inner, sieve(name, "onSend", made, false), closeOnce(inner, made));
    },
  });
}

/** Positions are there as long as the code keeps the metadata, but with other ids they make nothing repeat. */
function withoutIdentity(inner: InputCapabilities): InputCapabilities {
  const positions = inner.positions ?? inner.replayablePosition;
  return { ...inner, stableIds: false, replayablePosition: false, positions };
}

/** What is left of a batch. */
interface Sifted {
  readonly messages: readonly Message[];
  /** Where they stood. */
  readonly positions: Uint32Array;
}

type Sieve = (messages: readonly Message[]) => Promise<Sifted>;

/** Undefined where there is no function: everything passes. */
function sieve(
  name: string,
  method: "onReceive" | "onSend",
  made: CodeMiddleware,
  keepIds: boolean,
): Sieve | undefined {
  if (!made[method]) return undefined;
  return async (before) => {
    const after = await made[method]!(before);
    if (!Array.isArray(after) || after.length !== before.length) {
      throw errors.WRONG_COUNT({ name, method, expected: before.length, got: describe(after) });
    }
    const messages: Message[] = [];
    const positions: number[] = [];
    for (const [i, body] of (after as readonly (Body | null | undefined)[]).entries()) {
      if (body === null || body === undefined) continue;
      const like = before[i]!;
      const message = messageOf(body, `${method} of "${name}"`, like);
      messages.push(keepIds && message.id !== like.id ? message.with({ id: like.id }) : message);
      positions.push(i);
    }
    return { messages, positions: Uint32Array.from(positions) };
  };
}

/** Closes the inner end, then what the factory made. */
function closeOnce(inner: Consumer | Publisher, made: CodeMiddleware): () => Promise<void> {
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      await inner.close();
    } finally {
      await made.close?.();
    }
  };
  return () => (closing ??= close());
}

function changedConsumer(
  inner: Consumer,
  sift: Sieve | undefined,
  close: () => Promise<void>,
  dropped: (count: number) => void,
): Consumer {
  return {
    async receive(max, signal): Promise<Delivery> {
      const delivery = await inner.receive(max, signal);
      const { length } = delivery.batch;
      if (length === 0 || !sift) return delivery;
      const { messages, positions } = await sift([...delivery.batch]);
      if (messages.length < length) dropped(length - messages.length);
      const batch = batchOf(messages);
      if (messages.length === 0) return { batch, emptied: true, commit: () => delivery.commit() };
      if (messages.length === length) return { batch, commit: (own) => delivery.commit(own) };
      return { batch, commit: (own) => delivery.commit(own && scatter(length, positions, own, ACK, ACK)) };
    },
    close,
    ...(inner.status ? { status: () => inner.status!() } : {}),
  };
}

function changedPublisher(inner: Publisher, sift: Sieve | undefined, close: () => Promise<void>): Publisher {
  return {
    async send(batch, signal) {
      const { length } = batch;
      if (length === 0 || !sift) return inner.send(batch, signal);
      const { messages, positions } = await sift([...batch]);
      if (messages.length === 0) return new Array(length).fill(FILTERED);
      const sent = await inner.send(batchOf(messages), signal);
      return messages.length === length ? sent : scatter(length, positions, sent, ACCEPTED, FILTERED);
    },
    close,
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
  };
}
