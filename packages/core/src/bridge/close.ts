import type { Side } from "../contract/context.ts";
import type { Consumer, Publisher } from "../contract/endpoint.ts";
import { describeError } from "../errors/mqb-error.ts";
import { within } from "../route/within.ts";
import type { OpenScope } from "./open.ts";

export type Closable = Pick<Consumer | Publisher, "close">;

const CLOSE_LIMIT_MS = 2000;

/** Closes an end of a route and waits a bounded time for it, so that a stuck one holds nobody up. Never rejects. */
export async function closeEnd(end: Closable, side: Side, { route, bridge }: OpenScope): Promise<void> {
  const { clock, log } = bridge;
  try {
    const closed = (async () => await end.close())();
    if (await within(clock, CLOSE_LIMIT_MS, closed)) return;
    log.warn(`route ${route}: the ${side} did not close within ${CLOSE_LIMIT_MS} ms`);
  } catch (error) {
    log.warn(`route ${route}: closing the ${side} failed: ${describeError(error)}`);
  }
}
