import type { Consumer, Delivery, InputCapabilities, MiddlewareContext } from "@mqb/core/plugin";
import { Ahead } from "../batch/ahead.ts";
import { joinDeliveries } from "../batch/join-deliveries.ts";
import { Pauses } from "../pause.ts";
import { wrapConsumer } from "../wrap.ts";
import type { BufferSettings } from "./definition.ts";

type Context = Pick<MiddlewareContext<InputCapabilities>, "clock" | "draining" | "below">;

/** How long a source that has nothing for now is left alone. */
const AGAIN_MS = 10;

/** Behind the first messages, waits for more. What a read gives that ends with the time still belongs to the batch. */
export function bufferedConsumer(inner: Consumer, settings: BufferSettings, context: Context): Consumer {
  const { clock, draining, below } = context;
  const ahead = new Ahead(inner, clock, below);
  const pauses = new Pauses(clock);

  /** Adds to the parts what comes in time; with nothing more to come, ends early. */
  const gather = async (parts: Delivery[], most: number, signal: AbortSignal): Promise<void> => {
    const until = clock.monotonic() + settings.max_delay_ms;
    let room = most - parts[0]!.batch.length;
    while (room > 0) {
      const left = until - clock.monotonic();
      if (left <= 0) break;
      const next = await ahead.within(left, room, signal);
      if (!next) break;
      parts.push(next);
      room -= next.batch.length;
      if (next.batch.length > 0 || next.emptied) continue;
      // In a drain that is the end; else the source is asked again.
      if (draining || !(await pauses.wait(Math.min(AGAIN_MS, until - clock.monotonic()), signal))) break;
    }
  };

  return wrapConsumer(inner, {
    async receive(max, signal) {
      const most = Math.min(max, settings.max_messages);
      const first = await ahead.receive(most, signal);
      if (first.batch.length === 0 || first.batch.length >= most || settings.max_delay_ms === 0) return first;
      const parts = [first];
      try {
        await gather(parts, most, signal);
      } catch (error) {
        // What is there already goes first; the route sees the error at its next read.
        ahead.failNext(error);
      }
      return joinDeliveries(parts);
    },
    close() {
      pauses.end();
      ahead.close();
      return inner.close();
    },
  });
}
