import { ACCEPTED, failed, type Outcome } from "../contract/disposition.ts";
import type { MaybePromise } from "../contract/maybe-promise.ts";
import { coreErrors } from "../errors/errors.ts";
import { asError, kindOf } from "../errors/mqb-error.ts";
import { batchOf, type MessageBatch } from "../message/batch.ts";
import { Message } from "../message/message.ts";
import type { Yielder } from "./yielder.ts";

/**
 * A host's own code between input and output. Called once per message, whatever the sink does later, and one after
 * another within a batch; batches run at the same time up to the route's `concurrency`. Returns nothing to acknowledge
 * the message without publishing, or the message to publish. What it throws fails this message alone: retryable unless
 * the error says otherwise.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: an async handler without a return has a promise of void
export type Handler = (message: Message) => MaybePromise<Message | undefined | null | void>;

/** What a handler made of a batch. */
export interface Handled {
  readonly publish: MessageBatch;
  /** By position in the received batch, from those of `publish`. What was acknowledged without publishing is accepted. */
  outcomes(sent: readonly Outcome[] | undefined): Outcome[];
}

/** Never rejects. */
export async function handleAll(handle: Handler, batch: MessageBatch, route: string, turns: Yielder): Promise<Handled> {
  const publish: Message[] = [];
  const positions: number[] = [];
  const outcomes = new Array<Outcome>(batch.length).fill(ACCEPTED);
  for (let index = 0; index < batch.length; index++) {
    try {
      const returned = handle(batch.at(index));
      const result = isThenable(returned) ? await returned : returned;
      if (result !== undefined && result !== null) {
        if (!isMessage(result)) throw coreErrors.HANDLER_RESULT({ route, what: typeof result });
        publish.push(result);
        positions.push(index);
      }
    } catch (thrown) {
      outcomes[index] = failed(asFailure(thrown, batch, index, route));
    }
    const pause = turns.turn();
    if (pause) await pause;
  }
  const among = (sent: readonly Outcome[] = []): Outcome[] => {
    for (let i = 0; i < sent.length; i++) outcomes[positions[i]!] = sent[i]!;
    return outcomes;
  };
  return { publish: batchOf(publish), outcomes: among };
}

function asFailure(thrown: unknown, batch: MessageBatch, index: number, route: string): unknown {
  try {
    const cause = asError(thrown);
    // The wrapper must not hide the kind that the handler's own error has.
    if (kindOf(thrown, "retryable") !== "retryable") return cause;
    return coreErrors.HANDLER_FAILED({ route, id: batch.id(index) }, { cause });
  } catch (unreadable) {
    return unreadable;
  }
}

function isThenable(value: unknown): value is Promise<Message | undefined | null> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

/** Also true for a message of another copy of core. */
function isMessage(value: object): value is Message {
  if (value instanceof Message) return true;
  const { payload, id, metadata } = value as Partial<Message>;
  return payload instanceof Uint8Array && typeof id === "string" && metadata instanceof Map;
}
