import { batchOf, type Delivery } from "@mqb/core/plugin";
import type { Pauses } from "./pause.ts";

const NOTHING: Delivery = { batch: batchOf([]), commit: async () => {} };

interface Asking {
  readonly pauses: Pauses;
  /** Ends it, with nothing. */
  readonly stop: AbortSignal;
  /** Asked when there is nothing now: whether nothing more is waited for. */
  readonly isDone: () => boolean | Promise<boolean>;
  /** Undefined = there is nothing now. */
  readonly next: () => Promise<Delivery | undefined>;
}

/** Asks a table again and again until it has something, with pauses in between. */
export async function untilThere({ pauses, stop, isDone, next }: Asking): Promise<Delivery> {
  for (;;) {
    if (stop.aborted) return NOTHING;
    let delivery: Delivery | undefined;
    let isOver = false;
    try {
      delivery = await next();
      if (!delivery) isOver = await isDone();
    } catch (error) {
      if (stop.aborted) return NOTHING;
      throw error;
    }
    if (delivery) {
      pauses.reset();
      return delivery;
    }
    if (isOver || !(await pauses.wait(stop))) return NOTHING;
  }
}
