import {
  asBuffer,
  type Consumer,
  type Delivery,
  describeError,
  type EndpointStatus,
  type MessageBatch,
  type OpenContext,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { Summed } from "../summed.ts";
import type { UnpackSettings } from "./config.ts";
import { type FrameReader, readerFor } from "./frame-reader.ts";
import { type Frames, HeldDelivery } from "./held.ts";

export type UnpackContext = Pick<OpenContext, "accounting" | "clock" | "log" | "route">;

/** How many packed messages are asked for before it is known how many messages lie in one. */
const FIRST_FRAMES = 16;

/**
 * Hands out the messages in packed messages, in batches of the size that it is asked for; what is over is held. A delivery
 * of the source is looked at as a whole before anything of it is handed out.
 */
export class UnpackingConsumer implements Consumer {
  readonly status?: () => EndpointStatus;
  private readonly inner: Consumer;
  private readonly settings: UnpackSettings;
  private readonly context: UnpackContext;
  private readonly reader: FrameReader;
  private readonly dropped: Summed<unknown>;
  private held: HeldDelivery | undefined;
  /** Messages that the last packed messages held, on average; unknown at first. */
  private perFrame: number | undefined;

  constructor(inner: Consumer, settings: UnpackSettings, context: UnpackContext) {
    this.inner = inner;
    this.settings = settings;
    this.context = context;
    const { clock, log, route } = context;
    this.dropped = new Summed(clock, (count, first) => {
      log.warn(`${count} message(s) were dropped; the first one: ${describeError(first)}`, { route });
    });
    this.reader = readerFor(settings.format);
    if (inner.status) this.status = () => inner.status!();
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (!this.held) {
      const delivery = await this.inner.receive(this.framesFor(max), signal);
      if (delivery.batch.length === 0) return delivery;
      this.held = this.open(delivery);
    }
    const { held } = this;
    if (held.left <= max) this.held = undefined;
    if (held.left === 0) return { ...held.take(0), emptied: true };
    return held.take(max);
  }

  async close(): Promise<void> {
    this.held = undefined;
    this.dropped.flush();
    await this.inner.close();
  }

  /** No more than fill the batch: packed messages are large, and those that wait are nobody's bytes in flight. */
  private framesFor(max: number): number {
    if (this.perFrame === undefined) return Math.min(max, FIRST_FRAMES);
    return Math.max(1, Math.floor(max / this.perFrame));
  }

  /** Throws a `permanent` error with `on_error: fail`. */
  private open(delivery: Delivery): HeldDelivery {
    const { batch } = delivery;
    const frames = { ...oneBuffer(batch), counts: new Uint32Array(batch.length) };
    let total = 0;
    let filled = 0;
    let refused = 0;
    let first: unknown;
    for (let index = 0; index < batch.length; index++) {
      try {
        const count = this.look(frames, index);
        frames.counts[index] = count;
        total += count;
        if (count > 0) filled += 1;
      } catch (cause) {
        const error = errors.UNPACK_FAILED({ id: batch.id(index) }, { cause });
        if (this.settings.on_error === "fail") throw error;
        first ??= error;
        refused += 1;
      }
    }
    const { accounting } = this.context;
    if (refused > 0) this.dropped.add(refused, first);
    accounting.settle("filtered", batch.length - filled);
    accounting.receive(total - filled);
    this.perFrame = Math.max(1, total / batch.length);
    return new HeldDelivery(delivery, frames, this.reader);
  }

  /** Walks over one frame to its end; returns how many messages it holds. */
  private look({ bytes, starts, ends }: Frames, index: number): number {
    const { reader } = this;
    const { format, max_messages: limit } = this.settings;
    const end = ends[index]!;
    reader.open(bytes, starts[index]!, end);
    if (limit != null && reader.count > limit) throw errors.UNPACK_TOO_MANY({ count: reader.count, limit });
    for (let i = 0; i < reader.count; i++) reader.next();
    if (reader.at !== end) {
      const reason = `${end - reader.at} bytes follow the last message`;
      throw errors.UNPACK_MALFORMED({ format, reason, offset: reader.at - starts[index]! });
    }
    return reader.count;
  }
}

/** The payloads in one buffer: a slab as it is, others copied together. */
function oneBuffer(batch: MessageBatch): Omit<Frames, "counts"> {
  if (batch.slab) return batch.slab;
  const starts = new Uint32Array(batch.length);
  const ends = new Uint32Array(batch.length);
  const single = batch.length === 1 ? batch.payload(0) : undefined;
  if (single) {
    ends[0] = single.length;
    return { bytes: asBuffer(single), starts, ends };
  }
  const bytes = Buffer.allocUnsafe(batch.byteLength);
  let at = 0;
  for (let index = 0; index < batch.length; index++) {
    const payload = batch.payload(index);
    bytes.set(payload, at);
    starts[index] = at;
    at += payload.length;
    ends[index] = at;
  }
  return { bytes, starts, ends };
}
