import {
  ACCEPTED,
  ACK,
  batchOf,
  type Consumer,
  type Delivery,
  defineMiddleware,
  FILTERED,
  type MaybePromise,
  type Message,
  type MessageBatch,
  type MiddlewareDefinition,
  type OpenContext,
  type Outcome,
  type Publisher,
  scatter,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { wrapConsumer, wrapPublisher } from "../wrap.ts";
import { closing } from "./closing.ts";
import { ANYTHING, type Closable, type HooksFactory, isMessage, makeHooks, nameOf, requireFactory } from "./hooks.ts";

/** One entry for each message, by position: what it becomes, or nothing to take it out. */
type Passed = readonly (Message | null | undefined)[];

/**
 * A middleware in a few lines. A hook gets the messages of a batch and returns as many entries; a message that is taken
 * out is acknowledged at its source. A side without a hook passes everything. What a hook throws fails the whole batch:
 * it is tried again, unless the error has `retryable: false`.
 */
export interface MiddlewareHooks extends Closable {
  onReceive?(messages: readonly Message[]): MaybePromise<Passed>;
  onSend?(messages: readonly Message[]): MaybePromise<Passed>;
}

/** The definition of such a middleware, for the `middlewares` of a plugin. */
export function customMiddleware(
  factory: HooksFactory<MiddlewareHooks>,
  description = "A middleware of this program",
): MiddlewareDefinition {
  requireFactory(factory, "a custom middleware");
  return defineMiddleware<unknown>({
    description,
    schema: ANYTHING,
    input: async (inner, config, context) => hookedConsumer(inner, await makeHooks(factory, config, context), context),
    output: async (inner, config, context) =>
      hookedPublisher(inner, await makeHooks(factory, config, context), context),
  });
}

function hookedConsumer(inner: Consumer, hooks: MiddlewareHooks, { accounting, path }: OpenContext): Consumer {
  return wrapConsumer(inner, {
    async receive(max, signal) {
      const delivery = await inner.receive(max, signal);
      const { batch } = delivery;
      if (!hooks.onReceive || batch.length === 0) return delivery;
      const { kept, passed } = sorted(await hooks.onReceive([...batch]), batch, "onReceive", path);
      accounting.settle("filtered", batch.length - kept.length);
      return rewritten(delivery, kept, passed);
    },
    close: closer(inner, hooks),
  });
}

function hookedPublisher(inner: Publisher, hooks: MiddlewareHooks, { path }: OpenContext): Publisher {
  return wrapPublisher(inner, {
    async send(batch, signal) {
      if (!hooks.onSend || batch.length === 0) return inner.send(batch, signal);
      const { kept, passed } = sorted(await hooks.onSend([...batch]), batch, "onSend", path);
      const outcomes = passed.length > 0 ? await inner.send(passed, signal) : undefined;
      return scatter<Outcome>(batch.length, kept, outcomes, ACCEPTED, FILTERED);
    },
    close: closer(inner, hooks),
  });
}

function rewritten(delivery: Delivery, kept: Uint32Array, batch: MessageBatch): Delivery {
  const { length } = delivery.batch;
  return {
    batch,
    ...(kept.length === 0 ? { emptied: true } : {}),
    commit: (given) => delivery.commit(given && given.length > 0 ? scatter(length, kept, given, ACK, ACK) : undefined),
  };
}

/** What stays, and where it was. Throws for a result that does not say what becomes of each message. */
function sorted(
  returned: unknown,
  batch: MessageBatch,
  hook: string,
  path: string,
): { readonly kept: Uint32Array; readonly passed: MessageBatch } {
  if (!Array.isArray(returned)) {
    throw errors.HOOK_RESULT({ path, hook, got: nameOf(returned), wanted: `an array of ${batch.length} entries` });
  }
  if (returned.length !== batch.length) {
    const got = `${returned.length} entries`;
    throw errors.HOOK_RESULT({ path, hook, got, wanted: `one for each of ${batch.length} messages, null to drop it` });
  }
  const kept: number[] = [];
  const passed: Message[] = [];
  for (const [index, entry] of returned.entries() as IterableIterator<[number, unknown]>) {
    if (entry === null || entry === undefined) continue;
    if (!isMessage(entry)) throw errors.HOOK_RESULT({ path, hook, got: nameOf(entry), wanted: "messages, or null" });
    kept.push(index);
    passed.push(entry);
  }
  return { kept: Uint32Array.from(kept), passed: batchOf(passed) };
}

/** The other end first, since it may still need the hooks. */
function closer(inner: Consumer | Publisher, hooks: MiddlewareHooks): () => Promise<void> {
  const own = closing(hooks);
  return async () => {
    try {
      await inner.close();
    } finally {
      await own.close();
    }
  };
}
