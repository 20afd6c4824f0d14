import { describeError } from "../errors/mqb-error.ts";
import { within } from "../route/within.ts";
import type { BridgeScope } from "./open.ts";

const CLOSE_LIMIT_MS = 2000;

/** Closes an end of a route and waits a bounded time for it, so that a stuck one holds nobody up. Never rejects. */
export async function closeEnd(
  end: { close(): Promise<void> } | undefined,
  what: string,
  route: string,
  { log, clock }: Pick<BridgeScope, "log" | "clock">,
): Promise<void> {
  try {
    const closed = (async () => await end?.close())();
    if (await within(clock, CLOSE_LIMIT_MS, closed)) return;
    log.warn(`route ${route}: the ${what} did not close within ${CLOSE_LIMIT_MS} ms`);
  } catch (error) {
    log.warn(`route ${route}: closing the ${what} failed: ${describeError(error)}`);
  }
}
