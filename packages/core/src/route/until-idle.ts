import type { OpenScope } from "../bridge/open.ts";
import type { ResolvedEndpoint } from "../config/resolve.ts";
import type { Consumer, Delivery } from "../contract/endpoint.ts";
import { coreErrors } from "../errors/errors.ts";
import type { MqbError } from "../errors/mqb-error.ts";
import { batchOf } from "../message/batch.ts";
import { orAborted } from "./within.ts";

/** How long a source that was told to stop waiting has to heed it. */
export const RECEIVE_LIMIT_MS = 1000;

/**
 * A source as a drain reads it: empty at its end, or after a silence where it does not know its end. One that does not stop
 * waiting when it is told to is not waited for; whoever asks it again gets a `connection` error, and opens it anew.
 */
export function untilIdle(consumer: Consumer, { type, input }: ResolvedEndpoint, scope: OpenScope): Consumer {
  if (input!.bounded) return consumer;
  const { clock, log, drainIdleMs } = scope.bridge;
  let noAnswer: MqbError | undefined;

  const receive = async (max: number, signal: AbortSignal): Promise<Delivery> => {
    if (noAnswer) throw noAnswer;
    const idle = new AbortController();
    const deaf = new AbortController();
    let cancel = clock.timer(drainIdleMs, () => {
      idle.abort();
      cancel = clock.timer(RECEIVE_LIMIT_MS, () => deaf.abort());
    });
    const stop = (): void => {
      cancel();
      idle.abort(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await orAborted(consumer.receive(max, idle.signal), deaf.signal);
    } catch (error) {
      if (deaf.signal.aborted) {
        noAnswer = coreErrors.NO_ANSWER({ input: type, ms: RECEIVE_LIMIT_MS });
        log.warn(`route ${scope.route}: ${noAnswer.message}`, { route: scope.route });
        return NOTHING;
      }
      const aborted = (error as { name?: unknown } | null | undefined)?.name === "AbortError";
      if (idle.signal.aborted && (aborted || signal.aborted)) return NOTHING;
      throw error;
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
  };
  return { receive, close: () => consumer.close(), ...(consumer.status && { status: () => consumer.status!() }) };
}

const NOTHING: Delivery = { batch: batchOf([]), commit: async () => {} };
