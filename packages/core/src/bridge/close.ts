import type { Consumer, Publisher } from "../contract/endpoint.ts";
import { describeError } from "../errors/mqb-error.ts";
import { within } from "../route/within.ts";
import type { OpenScope } from "./open.ts";

type Place = Pick<OpenScope, "route" | "bridge">;

export type Closable = Pick<Consumer | Publisher, "close">;

const CLOSE_LIMIT_MS = 2000;

/** Closes an end of a route and waits a bounded time for it, so that a stuck one holds nobody up. Never rejects. */
export async function closeEnd(end: Closable, name: string, { route, bridge }: Place): Promise<void> {
  const { clock, log } = bridge;
  try {
    if (await within(clock, CLOSE_LIMIT_MS, (async () => await end.close())())) return;
    log.warn(`route ${route}: the ${name} did not close within ${CLOSE_LIMIT_MS} ms`);
  } catch (error) {
    log.warn(`route ${route}: closing the ${name} failed: ${describeError(error)}`);
  }
}

/** Lets go of what the sessions hold, when their route has ended. */
export async function endSessions({ sessions, ...scope }: Place & Pick<OpenScope, "sessions">): Promise<void> {
  for (const [place, session] of sessions) {
    for (const value of session.values()) {
      const dispose = (value as Partial<AsyncDisposable> | undefined)?.[Symbol.asyncDispose];
      if (dispose) await closeEnd({ close: () => Promise.resolve(dispose.call(value)) }, place, scope);
    }
    session.clear();
  }
}
