import {
  ACK,
  type Delivery,
  type Disposition,
  describeError,
  fieldsFrom,
  NACK,
  type OpenContext,
  scatter,
  slabBatch,
} from "@mqb/core/plugin";
import { GrowingBuffer, type PayloadCodec, type Payloads, payloadsOf, type UnfoldLimits } from "@mqb/formats";
import { errors } from "./errors.ts";

export interface DecompressSettings {
  readonly algorithm: string;
  readonly codec: PayloadCodec;
  readonly limits: UnfoldLimits;
  /** Whether a payload that cannot be decompressed is dropped; else it ends the route. */
  readonly drops: boolean;
}

/** A portion ends with the payload that passes this, or before one that ends the route. */
const PORTION_BYTES = 32 * 1024 * 1024;

/** One delivery, decompressed portion by portion; mostly there is one. The source hears of it when all have settled. */
export class Portions {
  /** Messages that are not handed out yet. */
  left: number;
  private readonly delivery: Delivery;
  private readonly settings: DecompressSettings;
  private readonly context: Pick<OpenContext, "accounting" | "log" | "route">;
  private readonly payloads: Payloads;
  /** Of several portions: what becomes of each message; what is still open goes back to the source. */
  private fates: Disposition[] | undefined;
  /** Messages whose fate is open. */
  private open: number;
  private committed = false;

  constructor(
    delivery: Delivery,
    settings: DecompressSettings,
    context: Pick<OpenContext, "accounting" | "log" | "route">,
  ) {
    this.delivery = delivery;
    this.settings = settings;
    this.context = context;
    this.payloads = payloadsOf(delivery.batch);
    this.left = delivery.batch.length;
    this.open = this.left;
  }

  /** The next messages, at most `max`. Throws a `permanent` error for a payload that ends the route. */
  next(max: number): Delivery {
    const { batch } = this.delivery;
    const from = batch.length - this.left;
    const { bytes, starts, ends, kept, to } = this.decompress(from, Math.min(batch.length, from + max));
    this.left = batch.length - to;
    const whole = kept.length === to - from && kept.length === batch.length;
    const decompressed = slabBatch({ bytes, starts, ends }, fieldsFrom(batch, whole ? undefined : kept), batch.shared);
    if (from === 0 && this.left === 0) return this.only(decompressed, whole ? undefined : kept);
    this.fates ??= new Array<Disposition>(batch.length).fill(NACK);
    return {
      batch: decompressed,
      ...(kept.length === 0 ? { emptied: true } : {}),
      commit: (own) => this.settle(from, to, kept, own),
    };
  }

  /** Tells the source what was settled, and to take the rest back. For the end, when nothing more is handed out. */
  async giveBack(): Promise<void> {
    if (this.fates && !this.committed && this.open < this.delivery.batch.length) await this.commit(this.fates);
  }

  private only(batch: Delivery["batch"], kept: Uint32Array | undefined): Delivery {
    const { delivery } = this;
    const { length } = delivery.batch;
    return {
      batch,
      // Ids and metadata are read out of the batch that was received until nobody looks at this one any more.
      ...(delivery.release ? { release: () => delivery.release!() } : {}),
      ...(batch.length === 0 ? { emptied: true } : {}),
      commit: (own) => delivery.commit(own && kept ? scatter<Disposition>(length, kept, own, ACK, ACK) : own),
    };
  }

  private async settle(
    from: number,
    to: number,
    kept: Uint32Array,
    own: readonly Disposition[] | undefined,
  ): Promise<void> {
    const fates = this.fates!;
    fates.fill(ACK, from, to);
    if (own) for (let i = 0; i < kept.length; i++) fates[kept[i]!] = own[i]!;
    this.open -= to - from;
    if (this.open === 0) await this.commit(fates.every((fate) => fate === ACK) ? undefined : fates);
  }

  private async commit(fates: readonly Disposition[] | undefined): Promise<void> {
    if (this.committed) return;
    this.committed = true;
    await this.delivery.commit(fates);
  }

  /** From `from` on, before `limit`, until there is enough for a portion. */
  private decompress(from: number, limit: number) {
    const { codec, limits, drops, algorithm } = this.settings;
    const { payloads } = this;
    const compressed = this.delivery.batch.byteLength;
    const out = new GrowingBuffer(Math.min(PORTION_BYTES, 4 * compressed));
    const places = new Uint32Array(limit - from);
    const starts = new Uint32Array(limit - from);
    const ends = new Uint32Array(limit - from);
    let count = 0;
    let first: unknown;
    let index = from;
    for (; index < limit && out.length < PORTION_BYTES; index++) {
      const mark = out.length;
      try {
        codec.decompress(payloads.bytes, payloads.starts[index]!, payloads.ends[index]!, limits, out);
      } catch (cause) {
        const error = errors.UNREADABLE({ id: this.delivery.batch.id(index), algorithm }, { cause });
        // What stands before it goes first; the route ends at the next call.
        if (!drops && index > from) break;
        if (!drops) throw error;
        first ??= error;
        out.length = mark;
        continue;
      }
      places[count] = index;
      starts[count] = mark;
      ends[count++] = out.length;
    }
    if (first !== undefined) this.dropped(index - from - count, first);
    const part = count < limit - from;
    return {
      bytes: out.written(),
      starts: part ? starts.slice(0, count) : starts,
      ends: part ? ends.slice(0, count) : ends,
      kept: part ? places.slice(0, count) : places,
      to: index,
    };
  }

  private dropped(count: number, first: unknown): void {
    const { accounting, log, route } = this.context;
    accounting.settle("filtered", count);
    log.warn(`${count} message(s) were dropped; the first one: ${describeError(first)}`, { route });
  }
}
