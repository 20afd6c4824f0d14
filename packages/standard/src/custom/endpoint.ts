import {
  defineEndpoint,
  type EndpointDefinition,
  type InputCapabilities,
  type MaybePromise,
  type Message,
  type OpenContext,
  type OutputCapabilities,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { hookConsumer } from "./endpoint-consumer.ts";
import { hookPublisher } from "./endpoint-publisher.ts";
import { ANYTHING, type Closable, type HooksFactory, makeHooks, requireFactory } from "./hooks.ts";

/** A message, its payload as bytes or text, or a value that is written as JSON. */
export type ReceivedItem = Message | Uint8Array | string | number | boolean | object;

/** What became of a sent message: an error, its answer, or nothing when it was accepted. */
export type SentItem = Error | Message | null | undefined;

/**
 * An endpoint in a few lines. An input needs `receiveBatch`, an output `sendBatch`. Errors that they throw may have a
 * boolean `retryable`; others are tried again.
 */
export interface EndpointHooks extends Closable {
  /**
   * At most `max` messages; none = nothing for now, and the end for a draining route. Throw `EndOfStream` when nothing
   * will ever come. Stops waiting when the signal aborts.
   */
  receiveBatch?(max: number, signal: AbortSignal): MaybePromise<Iterable<ReceivedItem> | null | undefined>;
  /** Once for each batch that was received, in their order: what became of each message. */
  commit?(dispositions: readonly ("ack" | "nack")[], messages: readonly Message[]): MaybePromise<void>;
  /** Nothing returned = all accepted; else one entry for each message, by position. */
  // biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return has a promise of void
  sendBatch?(messages: readonly Message[], signal: AbortSignal): MaybePromise<readonly SentItem[] | void>;
}

export interface CustomEndpointOptions {
  readonly description?: string;
  /** What differs from: acknowledges, commits in order, knows its end. */
  readonly input?: Partial<InputCapabilities>;
  /** What differs from: acknowledges, can answer, takes several batches at the same time. */
  readonly output?: Partial<OutputCapabilities>;
}

/** The definition of such an endpoint, for the `endpoints` of a plugin. */
export function customEndpoint(
  factory: HooksFactory<EndpointHooks>,
  options: CustomEndpointOptions = {},
): EndpointDefinition {
  requireFactory(factory, "a custom endpoint");
  return defineEndpoint<unknown>({
    description: options.description ?? "An endpoint of this program",
    schema: ANYTHING,
    input: {
      capabilities: () => ({ ...INPUT, ...options.input }),
      open: async (config, context) => hookConsumer(await hooksFor("receiveBatch", factory, config, context), context),
    },
    output: {
      capabilities: () => ({ ...OUTPUT, ...options.output }),
      open: async (config, context) => hookPublisher(await hooksFor("sendBatch", factory, config, context), context),
    },
  });
}

const INPUT: InputCapabilities = {
  acknowledges: true,
  commitsInOrder: true,
  replies: false,
  stableIds: false,
  replayablePosition: false,
  bounded: true,
};
const OUTPUT: OutputCapabilities = { acknowledges: true, replies: true, orderedPublish: false, idempotent: false };

/** Closes what cannot do what it is needed for. */
async function hooksFor<K extends "receiveBatch" | "sendBatch">(
  needed: K,
  factory: HooksFactory<EndpointHooks>,
  config: unknown,
  context: OpenContext,
): Promise<EndpointHooks & Required<Pick<EndpointHooks, K>>> {
  const hooks = await makeHooks(factory, config, context);
  if (typeof hooks[needed] === "function") return hooks as EndpointHooks & Required<Pick<EndpointHooks, K>>;
  await hooks.close?.();
  throw errors.HOOK_NEEDED({ path: context.path, hook: needed, side: context.side });
}
