import { ACCEPTED, ACK, type Disposition, FILTERED, NACK, nack, type Outcome, reply } from "../contract/disposition.ts";
import { isExhausted, kindOf } from "../errors/mqb-error.ts";
import type { MessageBatch } from "../message/batch.ts";
import type { Accounting } from "./accounting.ts";

/** What the outcomes of one batch mean for its source and for the route. */
export interface Verdict {
  /** `undefined` = everything acked. */
  readonly dispositions: readonly Disposition[] | undefined;
  readonly nacked: number;
  /** Messages that reached the sink. */
  readonly delivered: number;
  /** The first error that messages are nacked for. */
  readonly error?: unknown;
  /** Set when the route has to reconnect, stop or end because of it. */
  readonly fatal?: { readonly error: unknown; readonly kind: "connection" | "config" | "end" };
}

/** What each outcome counts as. */
const END = { accepted: "delivered", replied: "replied", filtered: "filtered", dead_lettered: "deadLettered" } as const;

/**
 * Turns outcomes by position into dispositions: accepted -> ack, reply -> ack with reply, retryable -> nack, permanent
 * -> logged, counted, acked. Settles every message of the batch with the accounting. A source that does not `takesBack`
 * loses what is nacked: it counts as dropped.
 */
export function judge(
  batch: MessageBatch,
  outcomes: readonly Outcome[],
  takesBack: boolean,
  accounting: Accounting,
): Verdict {
  // Made when the first message is not acked: mostly all are.
  let dispositions: Disposition[] | undefined;
  const counts = { delivered: 0, replied: 0, filtered: 0, deadLettered: 0, dropped: 0, nacked: 0 };
  let fatal: Verdict["fatal"];
  let first: { readonly index: number; readonly error: unknown } | undefined;
  for (let i = 0; i < batch.length; i++) {
    const outcome = outcomes[i]!;
    // Nothing branches on which of the two it is, which nobody could foresee.
    const accepted = Number(outcome === ACCEPTED);
    const filtered = Number(outcome === FILTERED);
    counts.delivered += accepted;
    counts.filtered += filtered;
    if (accepted + filtered > 0) continue;
    let disposition = ACK;
    if (outcome.type !== "failed") {
      const ending = END[outcome.type];
      if (!ending) throw new TypeError(`an outcome of an unknown type: ${String(outcome.type)}`);
      counts[ending] += 1;
      if (outcome.type === "replied") disposition = reply(outcome.message);
    } else {
      const kind = kindOf(outcome.error, "retryable");
      const hopeless = kind === "permanent" && !isExhausted(outcome.error);
      if (!hopeless) disposition = nack(outcome.error);
      if (kind === "connection" || kind === "config" || kind === "end") fatal ??= { error: outcome.error, kind };
      // What is nacked to a source that takes nothing back is gone; what a sink no longer wants (`end`) is not missed.
      if (hopeless || (!takesBack && kind !== "end")) {
        counts.dropped += 1;
        accounting.drops?.add(batch.id(i), outcome.error);
      } else {
        counts.nacked += 1;
        first ??= { index: i, error: outcome.error };
      }
    }
    if (disposition !== ACK) (dispositions ??= new Array<Disposition>(batch.length).fill(ACK))[i] = disposition;
  }
  if (first && !fatal) accounting.drops?.returned(counts.nacked, batch.id(first.index), first.error);
  for (const ending of Object.keys(counts) as (keyof typeof counts)[]) accounting.settle(ending, counts[ending]);
  return {
    dispositions,
    nacked: counts.nacked,
    delivered: counts.delivered + counts.replied,
    error: first?.error,
    ...(fatal ? { fatal } : {}),
  };
}

/** The verdict for a batch that goes back to its source as a whole, and the route reconnects. */
export function refuse(batch: MessageBatch, error: unknown, accounting: Accounting): Verdict {
  accounting.settle("nacked", batch.length);
  const dispositions = new Array<Disposition>(batch.length).fill(nack(error));
  return { dispositions, nacked: batch.length, delivered: 0, error, fatal: { error, kind: "connection" } };
}

/**
 * Publishes as many messages as a limit leaves room for: a middleware that makes several of one exceeds what was asked
 * for. More go out in the place of what did not reach the sink; the rest goes back to the source.
 */
export async function publishUpTo(
  room: number,
  batch: MessageBatch,
  accounting: Accounting,
  publish: (part: MessageBatch) => Promise<Verdict | undefined>,
): Promise<Verdict> {
  const dispositions = new Array<Disposition>(batch.length).fill(NACK);
  let last: Verdict | undefined;
  let [from, delivered, nacked] = [0, 0, 0];
  while (from < batch.length && delivered < room && !last?.fatal) {
    const length = Math.min(room - delivered, batch.length - from);
    last = await publish(batch.select(Uint32Array.from({ length }, (_, i) => from + i)));
    for (let i = 0; i < length; i++) dispositions[from + i] = last?.dispositions?.[i] ?? ACK;
    delivered += last?.delivered ?? length;
    nacked += last?.nacked ?? 0;
    from += length;
  }
  const rest = batch.length - from;
  accounting.settle("nacked", rest);
  return { ...last, dispositions, nacked: nacked + rest, delivered };
}
