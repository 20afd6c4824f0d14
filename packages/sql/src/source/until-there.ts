import { batchOf, type Delivery } from "@mqb/core/plugin";
import type { Pauses } from "./pause.ts";

const NOTHING: Delivery = { batch: batchOf([]), commit: async () => {} };

interface Asking {
  readonly pauses: Pauses;
  /** Ends it, with nothing. */
  readonly stop: AbortSignal;
  /** Nothing more is waited for. */
  readonly isDone: () => boolean;
  /** Undefined = there is nothing now. */
  readonly next: () => Promise<Delivery | undefined>;
}

/** Asks a table again and again until it has something, with pauses in between. */
export async function untilThere({ pauses, stop, isDone, next }: Asking): Promise<Delivery> {
  for (;;) {
    if (stop.aborted) return NOTHING;
    let delivery: Delivery | undefined;
    try {
      delivery = await next();
    } catch (error) {
      if (stop.aborted) return NOTHING;
      throw error;
    }
    if (delivery) {
      pauses.reset();
      return delivery;
    }
    if (isDone() || !(await pauses.wait(stop))) return NOTHING;
  }
}
