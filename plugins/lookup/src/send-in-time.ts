import type { Clock, MessageBatch, MqbError, Outcome, Publisher } from "@mqb/core/plugin";

export interface Patience {
  readonly clock: Clock;
  /** Undefined = as long as it takes. */
  readonly ms: number | undefined;
  /** Nobody waits any longer when it aborts, whether the endpoint heeds it or not. */
  readonly signal: AbortSignal;
  readonly late: () => MqbError;
  readonly givenUp: () => MqbError;
}

/** What was answered, or one error for all requests. */
export type Sent = { readonly outcomes: readonly Outcome[] | undefined } | { readonly error: unknown };

/** Sends within a time. Never rejects. */
export function sendInTime(publisher: Publisher, batch: MessageBatch, patience: Patience): Promise<Sent> {
  const { clock, ms, signal, late, givenUp } = patience;
  if (signal.aborted) return Promise.resolve({ error: givenUp() });
  return new Promise((resolve) => {
    const sending = ms === undefined ? undefined : new AbortController();
    let cancel = (): void => {};
    const settle = (sent: Sent): void => {
      cancel();
      signal.removeEventListener("abort", stop);
      resolve(sent);
    };
    const end = (error: MqbError): void => {
      sending?.abort(error);
      settle({ error });
    };
    const stop = (): void => end(givenUp());
    if (ms !== undefined) cancel = clock.timer(ms, () => end(late()));
    signal.addEventListener("abort", stop, { once: true });
    const send = async () => publisher.send(batch, sending?.signal ?? signal);
    send().then(
      (outcomes) => settle({ outcomes }),
      (error: unknown) => settle({ error }),
    );
  });
}
