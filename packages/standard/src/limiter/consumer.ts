import {
  batchOf,
  type Consumer,
  type Delivery,
  type InputCapabilities,
  type MiddlewareContext,
} from "@mqb/core/plugin";
import { Pauses } from "../pause.ts";
import { wrapConsumer } from "../wrap.ts";
import { type Pace, rest } from "./pace.ts";

type Context = Pick<MiddlewareContext<InputCapabilities>, "clock" | "draining" | "below">;

/**
 * Receives in small groups, each when those before it have had their time. In a drain, silence is the end: there the
 * source is asked first, and what it gave waits.
 */
export function limitedConsumer(inner: Consumer, pace: Pace, { clock, draining, below }: Context): Consumer {
  const pauses = new Pauses(clock);
  const { acknowledges, takesBack = acknowledges } = below;
  /** What was not waited for to the end. */
  let held: { readonly delivery: Delivery; readonly at: number } | undefined;

  const paced = async (max: number, signal: AbortSignal): Promise<Delivery> => {
    if (!(await rest(pauses, pace.wait, signal))) return NOTHING;
    const delivery = await inner.receive(max, signal);
    if (delivery.batch.length > 0) pace.take(delivery.batch.length);
    return delivery;
  };

  const drained = async (max: number, signal: AbortSignal): Promise<Delivery> => {
    if (!held) {
      const delivery = await inner.receive(max, signal);
      const { length } = delivery.batch;
      const ms = length > 0 ? pace.take(length) : 0;
      if (ms < 1) return delivery;
      held = { delivery, at: clock.monotonic() + ms };
    }
    const { delivery, at } = held;
    const waited = await rest(pauses, at - clock.monotonic(), signal);
    // Kept for the next call, or returned to the source at the close; the pause is not the end of the source.
    if (!waited && takesBack) return NOT_YET;
    held = undefined;
    return delivery;
  };

  return wrapConsumer(inner, {
    receive: (max, signal) => (draining ? drained : paced)(Math.min(max, pace.group), signal),
    close() {
      pauses.end();
      return inner.close();
    },
  });
}

const NOTHING: Delivery = { batch: batchOf([]), commit: async () => {} };
const NOT_YET: Delivery = { ...NOTHING, emptied: "held" };
