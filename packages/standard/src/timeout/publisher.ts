import {
  failed,
  isExhausted,
  kindOf,
  type MiddlewareContext,
  type Outcome,
  type OutputCapabilities,
  type Publisher,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { wrapPublisher } from "../wrap.ts";
import { TimeLimit } from "./time-limit.ts";

/**
 * Bounds each send. A sink that is out of time is told to stop, and has a moment to say what it took; what it does not say
 * failed for a time. A sink that takes one batch after another gets no other one while it still works on the last.
 */
export function timeoutPublisher(
  inner: Publisher,
  ms: number,
  { clock, below }: Pick<MiddlewareContext<OutputCapabilities>, "clock" | "below">,
): Publisher {
  let late: Promise<unknown> | undefined;
  let closed = false;
  // Of sends that were in time.
  const spare: TimeLimit[] = [];
  const limitOf = (signal: AbortSignal): TimeLimit => {
    const limit = spare.pop();
    if (limit?.outer === signal) return limit;
    limit?.close();
    return new TimeLimit(clock, ms, signal);
  };
  return wrapPublisher(inner, {
    async send(batch, signal) {
      const limit = limitOf(signal);
      limit.begin();
      const timedOut = (cause?: unknown): Error => errors.SEND_TIMEOUT({ ms }, cause === undefined ? {} : { cause });
      try {
        if (late && !(await limit.within(late))) throw timedOut();
        const sending = inner.send(batch, limit.signal);
        const answer = await limit.within(sending);
        if (!answer) {
          if (below.orderedPublish) late = settled(sending, () => (late = undefined));
          throw timedOut();
        }
        return limit.isOver ? answer.value?.map((outcome) => inTime(outcome, timedOut)) : answer.value;
      } catch (error) {
        throw limit.isOver && !isFinal(error) ? timedOut(error) : error;
      } finally {
        if (limit.end() && !closed) spare.push(limit);
        else limit.close();
      }
    },
    close() {
      closed = true;
      for (const limit of spare.splice(0)) limit.close();
      return inner.close();
    },
  });
}

/** What a sink says of a message after it was told to stop. */
function inTime(outcome: Outcome, timedOut: (cause: unknown) => Error): Outcome {
  return outcome.type === "failed" && !isFinal(outcome.error) ? failed(timedOut(outcome.error)) : outcome;
}

/** Says something about the message or the configuration, not about the time. */
function isFinal(error: unknown): boolean {
  const kind = kindOf(error, "retryable");
  return kind === "permanent" || kind === "config" || kind === "end" || isExhausted(error);
}

function settled(sending: Promise<unknown>, then: () => void): Promise<void> {
  return sending.then(then, then);
}
