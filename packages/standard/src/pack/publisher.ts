import { ACCEPTED, failed, type MessageBatch, type Outcome, type Publisher } from "@mqb/core/plugin";
import { wrapPublisher } from "../wrap.ts";
import type { PackSettings } from "./config.ts";
import { COUNT } from "./frame-writer.ts";
import { packBatch, REFUSED } from "./pack-batch.ts";

/**
 * Sends few packed messages in the place of many. What becomes of a packed message becomes of each message in it; one that
 * cannot be packed fails for good at its own position.
 */
export function packPublisher(inner: Publisher, settings: PackSettings): Publisher {
  return wrapPublisher(inner, {
    // What is inside gets another batch.
    willSend() {},
    async send(batch, signal) {
      if (batch.length === 0) return undefined;
      const { packed, frameOf, refusals } = packBatch(batch, settings);
      const sent = packed.length > 0 ? await inner.send(packed, signal) : undefined;
      if (!sent && !refusals) return undefined;
      return Array.from(frameOf, (frame, index) =>
        frame === REFUSED ? failed(refusals!.get(index)) : memberOutcome(packed, sent?.[frame], frame),
      );
    },
  });
}

/** An answer reaches a message that was packed alone; of several nobody could say which of them it answers. */
function memberOutcome(packed: MessageBatch, outcome: Outcome = ACCEPTED, frame: number): Outcome {
  if (outcome.type !== "replied" || packed.metadata(frame).get(COUNT) === "1") return outcome;
  return ACCEPTED;
}
