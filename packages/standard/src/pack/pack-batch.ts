import { type MessageBatch, type Metadata, slabBatch } from "@mqb/core/plugin";
import type { PackSettings } from "./config.ts";
import { COUNT, type Frame, type FrameWriter, writerFor } from "./frame-writer.ts";

export interface Packed {
  /** The packed messages, in one slab. */
  readonly packed: MessageBatch;
  /** The packed message that each message lies in, or `REFUSED`. */
  readonly frameOf: Int32Array;
  /** Why messages were refused, by position. */
  readonly refusals: ReadonlyMap<number, unknown> | undefined;
}

export const REFUSED = -1;

/** Packs a batch, in order, with no object for each message. */
export function packBatch(batch: MessageBatch, settings: PackSettings): Packed {
  const writer = writerFor(batch, settings);
  const { frames, frameOf } = divide(batch.length, writer, settings);
  let size = 0;
  for (const frame of frames) size += writer.sizeOf(frame);
  const bytes = Buffer.allocUnsafe(size);
  const starts = new Uint32Array(frames.length);
  const ends = new Uint32Array(frames.length);
  let at = 0;
  for (const [index, frame] of frames.entries()) {
    starts[index] = at;
    at = writer.write(frame, bytes, at);
    ends[index] = at;
  }
  return { packed: countedBatch({ bytes, starts, ends }, frames), frameOf, refusals: writer.refusals };
}

function divide(length: number, writer: FrameWriter, { max_messages, max_bytes }: PackSettings) {
  const frames: Frame[] = [];
  const frameOf = new Int32Array(length).fill(REFUSED);
  let frame: Frame | undefined;
  for (let index = 0; index < length; index++) {
    if (writer.refusals?.has(index)) continue;
    const bytes = writer.recordBytes(index);
    const metadataBytes = writer.metadataBytes(index);
    const fits =
      frame && frame.count < max_messages && frame.bytes + frame.metadataBytes + bytes + metadataBytes <= max_bytes;
    if (!fits) {
      frame = { from: index, to: index, count: 0, bytes: 0, metadataBytes: 0, withMetadata: 0 };
      frames.push(frame);
    }
    frame!.to = index + 1;
    frame!.count += 1;
    frame!.bytes += bytes;
    frame!.metadataBytes += metadataBytes;
    if (metadataBytes > 0) frame!.withMetadata += 1;
    frameOf[index] = frames.length - 1;
  }
  return { frames, frameOf };
}

function countedBatch(slab: Parameters<typeof slabBatch>[0], frames: readonly Frame[]): MessageBatch {
  const [first] = frames;
  if (first && frames.every((frame) => frame.count === first.count)) return slabBatch(slab, undefined, counted(first));
  return slabBatch(slab, { metadata: (index) => counted(frames[index]!) });
}

function counted({ count }: Frame): Metadata {
  return new Map([[COUNT, String(count)]]);
}
