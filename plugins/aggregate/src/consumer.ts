import {
  ACK,
  asError,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type InputCapabilities,
  kindOf,
  type MiddlewareContext,
  nack,
  scatter,
  sleep,
} from "@mqb/core/plugin";
import { errors } from "./errors.ts";
import type { Mode, Ran } from "./modes/mode.ts";
import { Remarks } from "./remarks.ts";

export type AggregateContext = Pick<
  MiddlewareContext<InputCapabilities>,
  "accounting" | "below" | "clock" | "draining" | "log" | "route"
>;

const LONGEST_PAUSE_MS = 1000;
/** A drain in which so many deliveries in a row bring the source no further does not go on. */
const MOST_IN_DRAIN = 10;
const NOTHING = batchOf([]);

/** Around a consumer: folds what it gives. What is given back to the source is not asked for again at once. */
export class AggregateConsumer implements Consumer {
  private readonly inner: Consumer;
  private readonly mode: Mode;
  private readonly onError: "drop" | "fail" | "skip";
  private readonly context: AggregateContext;
  private readonly remarks: Remarks;
  private readonly closing = new AbortController();
  readonly status?: () => EndpointStatus;
  /** Tries in a row that did not bring the source forward. What was in flight when one failed belongs to the same try. */
  private fruitless = 0;
  private asked = 0;
  /** Deliveries below this number were in flight, or asked for, when the last one went back. */
  private askedAtReturn = 0;
  /** Why the last one did not. */
  private trouble = "";

  constructor(inner: Consumer, mode: Mode, onError: "drop" | "fail" | "skip", context: AggregateContext) {
    this.inner = inner;
    this.mode = mode;
    this.onError = onError;
    this.context = context;
    this.remarks = new Remarks(context.log, context.route);
    if (inner.status) this.status = () => inner.status!();
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (this.fruitless > 0 && !(await this.pause(signal))) return { batch: NOTHING, commit: async () => {} };
    const number = this.asked++;
    const delivery = await this.inner.receive(max, signal);
    if (delivery.batch.length === 0) return delivery;
    let ran: Ran;
    try {
      ran = await this.mode.run(delivery.batch);
    } catch (error) {
      return this.returned(delivery, number, asError(error));
    }
    this.remarks.of(ran);
    return this.folded(delivery, number, ran);
  }

  async close(): Promise<void> {
    this.closing.abort();
    try {
      await this.mode.close();
    } finally {
      await this.inner.close();
    }
  }

  private folded(delivery: Delivery, number: number, ran: Ran): Delivery {
    const { batch, kept, rejected, stored } = ran;
    const { length } = delivery.batch;
    const given = rejected.length > 0 ? this.settleRejected(delivery, ran) : undefined;
    const all = (own: readonly Disposition[] | undefined): readonly Disposition[] | undefined => {
      if (!kept || (!own && !given)) return own;
      const dispositions = scatter<Disposition>(length, kept, own, ACK, ACK);
      if (given) for (const { index } of rejected) dispositions[index] = given;
      return dispositions;
    };
    const commit = async (own?: readonly Disposition[]): Promise<void> => {
      const dispositions = all(own);
      try {
        if (stored) await stored;
      } catch (error) {
        this.remarks.failed(asError(error), length, this.wentBack(number, asError(error).message));
        return delivery.commit(new Array<Disposition>(length).fill(nack(error)));
      }
      if (given) this.cameBack(dispositions!, number, rejected[0]!.reason);
      else if (number >= this.askedAtReturn) this.fruitless = 0;
      return delivery.commit(dispositions);
    };
    return batch.length === 0 ? { batch, emptied: true, commit } : { batch, commit };
  }

  /** Counts what cannot be folded. Returns what the source is told of it; undefined = it is acked. */
  private settleRejected(delivery: Delivery, ran: Ran): Disposition | undefined {
    const { accounting, below } = this.context;
    const { length } = ran.rejected;
    const { takesBack = below.acknowledges } = below;
    if (this.onError !== "fail") {
      accounting.settle("filtered", length);
      this.remarks.rejected(ran, "they are acked and dropped");
      return undefined;
    }
    if (takesBack && below.bounded) {
      // It would hand out the same records again for ever, and nothing behind them.
      this.drop(delivery, ran);
      this.remarks.rejected(ran, "what is read to its end has nobody who could be told: they are dropped");
      return undefined;
    }
    if (takesBack) accounting.settle("nacked", length);
    else this.drop(delivery, ran);
    this.remarks.rejected(ran, "they are nacked");
    return nack(errors.CANNOT_FOLD({ reason: ran.rejected[0]!.reason }));
  }

  /** They are gone for good, and the route ends as failed for it. */
  private drop({ batch }: Delivery, { rejected }: Ran): void {
    const [{ index, reason }] = rejected as readonly [Ran["rejected"][number]];
    this.context.accounting.drop(rejected.length, batch.id(index), errors.CANNOT_FOLD({ reason }));
  }

  /** Messages were nacked that come again. */
  private cameBack(dispositions: readonly Disposition[], number: number, reason: string): void {
    const { takesBack = this.context.below.acknowledges, commitsInOrder } = this.context.below;
    const stays = commitsInOrder
      ? dispositions[0]!.type === "nack"
      : dispositions.every((disposition) => disposition.type === "nack");
    if (takesBack && stays) this.wentBack(number, reason);
    else {
      this.trouble = reason;
      this.fruitless = 0;
    }
  }

  /** A delivery that did not bring the source forward; true when it is a try of its own. */
  private wentBack(number: number, reason: string): boolean {
    this.trouble = reason;
    if (number < this.askedAtReturn) return false;
    this.askedAtReturn = this.asked;
    this.fruitless += 1;
    return true;
  }

  /** The store has failed, and nothing of the batch may go on. */
  private returned(delivery: Delivery, number: number, error: Error): Delivery {
    const { accounting, below, draining } = this.context;
    const { length } = delivery.batch;
    // A drain that cannot go on is the route's to end; a state that cannot be read stays so.
    if (kindOf(error, "permanent") !== "retryable") throw error;
    if (draining) throw errors.STORE_GONE({}, { cause: error });
    const isNew = this.wentBack(number, error.message);
    const { takesBack = below.acknowledges } = below;
    accounting.settle(takesBack ? "nacked" : "dropped", length);
    this.remarks.failed(error, length, isNew);
    const dispositions = new Array<Disposition>(length).fill(nack(error));
    return { batch: NOTHING, emptied: true, commit: () => delivery.commit(dispositions) };
  }

  /** Resolves false when it was broken off. */
  private async pause(signal: AbortSignal): Promise<boolean> {
    const { clock, draining } = this.context;
    if (draining && this.fruitless >= MOST_IN_DRAIN)
      throw errors.CAME_BACK({ times: this.fruitless, reason: this.trouble });
    const ms = Math.min(LONGEST_PAUSE_MS, 10 * 2 ** Math.min(this.fruitless - 1, 10));
    return sleep(clock, ms, AbortSignal.any([signal, this.closing.signal]));
  }
}
