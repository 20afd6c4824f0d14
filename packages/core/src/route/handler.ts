import type { MaybePromise } from "../contract/maybe-promise.ts";
import { coreErrors } from "../errors/errors.ts";
import { asError, kindOf } from "../errors/mqb-error.ts";
import { batchOf, type MessageBatch } from "../message/batch.ts";
import { Message } from "../message/message.ts";

/**
 * A host's own code between input and output. Called once per message, whatever the sink does later, and one after
 * another within a batch; batches run at the same time up to the route's `concurrency`. Returns nothing to acknowledge
 * the message without publishing, or the message to publish. What it throws fails this message alone: retryable unless
 * the error says otherwise.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: an async handler without a return has a promise of void
export type Handler = (message: Message) => MaybePromise<Message | undefined | null | void>;

/** What a handler made of a batch: what to publish and where it came from, and what failed. */
export interface Handled {
  readonly publish: MessageBatch;
  /** Position in the received batch of each message in `publish`. */
  readonly positions: Uint32Array;
  readonly failures: readonly { readonly index: number; readonly error: unknown }[];
}

export async function runHandler(handler: Handler, batch: MessageBatch, route: string): Promise<Handled> {
  const publish: Message[] = [];
  const positions: number[] = [];
  const failures: { index: number; error: unknown }[] = [];
  for (let index = 0; index < batch.length; index++) {
    const message = batch.at(index);
    try {
      const returned = handler(message);
      const result = isThenable(returned) ? await returned : returned;
      if (result === undefined || result === null) continue;
      if (!(result instanceof Message) && !isMessageLike(result))
        throw coreErrors.HANDLER_RESULT({ route, what: typeof result });
      publish.push(result as Message);
      positions.push(index);
    } catch (thrown) {
      const kind = kindOf(thrown, "retryable");
      const cause = asError(thrown);
      const error = coreErrors.HANDLER_FAILED({ route, id: message.id }, { cause });
      // The wrapper must not hide the kind that the handler's own error has.
      failures.push({ index, error: kind === "retryable" ? error : cause });
    }
  }
  return { publish: batchOf(publish), positions: Uint32Array.from(positions), failures };
}

function isThenable(value: unknown): value is Promise<Message | undefined | null> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** A message of another copy of core. */
function isMessageLike(value: object): boolean {
  const message = value as Partial<Message>;
  return message.payload instanceof Uint8Array && typeof message.id === "string" && message.metadata instanceof Map;
}
