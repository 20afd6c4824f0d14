import { ACK, type Disposition, nack, type Outcome, reply } from "../contract/disposition.ts";
import { isExhausted, kindOf } from "../errors/mqb-error.ts";
import type { MessageBatch } from "../message/batch.ts";
import type { Accounting } from "./accounting.ts";
import type { Drops } from "./drops.ts";

/** What the outcomes of one batch mean for its source and for the route. */
export interface Verdict {
  /** `undefined` = everything acked. */
  readonly dispositions: readonly Disposition[] | undefined;
  readonly nacked: number;
  /** Messages that reached the sink. */
  readonly delivered: number;
  /** Set when the route has to reconnect, stop or end because of it. */
  readonly fatal?: { readonly error: unknown; readonly kind: "connection" | "config" | "end" };
}

/**
 * Turns outcomes by position into dispositions: accepted -> ack, reply -> ack with reply, retryable -> nack, permanent
 * -> logged, counted, acked. Settles every message of the batch with the accounting.
 */
export function judge(
  batch: MessageBatch,
  outcomes: readonly Outcome[],
  accounting: Accounting,
  drops: Drops,
): Verdict {
  const dispositions = new Array<Disposition>(batch.length);
  const counts = { delivered: 0, replied: 0, filtered: 0, deadLettered: 0, dropped: 0, nacked: 0 };
  let fatal: Verdict["fatal"];
  for (let i = 0; i < batch.length; i++) {
    const outcome = outcomes[i]!;
    let disposition = ACK;
    switch (outcome.type) {
      case "accepted":
        counts.delivered += 1;
        break;
      case "replied":
        counts.replied += 1;
        disposition = reply(outcome.message);
        break;
      case "filtered":
        counts.filtered += 1;
        break;
      case "dead_lettered":
        counts.deadLettered += 1;
        break;
      case "failed": {
        const kind = kindOf(outcome.error, "retryable");
        if (kind === "permanent" && !isExhausted(outcome.error)) {
          counts.dropped += 1;
          drops.add(batch.id(i), outcome.error);
        } else {
          counts.nacked += 1;
          disposition = nack(outcome.error);
          if (kind === "connection" || kind === "config" || kind === "end") fatal ??= { error: outcome.error, kind };
        }
      }
    }
    dispositions[i] = disposition;
  }
  for (const ending of Object.keys(counts) as (keyof typeof counts)[]) {
    if (counts[ending] > 0) accounting.settle(ending, counts[ending]);
  }
  const all = counts.delivered + counts.filtered + counts.deadLettered + counts.dropped === batch.length;
  return {
    dispositions: all ? undefined : dispositions,
    nacked: counts.nacked,
    delivered: counts.delivered + counts.replied,
    ...(fatal ? { fatal } : {}),
  };
}
