import type { MessageBatch, Metadata } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { Frame, FrameWriter } from "./frame-writer.ts";
import { IdWriter } from "./id-writer.ts";
import { HAS_IDS, HAS_METADATA, HEADER_BYTES, ID_BYTES, MAGIC, VERSION } from "./layout.ts";
import { lebBytes, writeLeb } from "./leb128.ts";
import { PayloadReader } from "./payload-reader.ts";

/** `mqb`: the layout of `layout.ts`. Metadata takes room only in frames in which a message has some. */
export class MqbWriter implements FrameWriter {
  readonly refusals: Map<number, unknown> | undefined;
  private readonly payloads: PayloadReader;
  private readonly ids: IdWriter | undefined;
  /** The pairs of each message, ready to be written; undefined where it has none. */
  private readonly metadata: readonly (Buffer | undefined)[] | undefined;

  constructor(batch: MessageBatch, withIds: boolean) {
    this.payloads = new PayloadReader(batch);
    this.ids = withIds ? new IdWriter(batch) : undefined;
    const { blocks, refusals } = metadataBlocks(batch);
    this.metadata = blocks;
    this.refusals = refusals;
  }

  recordBytes(index: number): number {
    const length = this.payloads.length(index);
    return (this.ids ? ID_BYTES : 0) + lebBytes(length) + length;
  }

  metadataBytes(index: number): number {
    return this.metadata?.[index]?.length ?? 0;
  }

  sizeOf({ count, bytes, metadataBytes, withMetadata }: Frame): number {
    // Beside others with metadata, a message without any says so in a byte.
    const metadata = withMetadata > 0 ? metadataBytes + (count - withMetadata) : 0;
    return HEADER_BYTES + lebBytes(count) + bytes + metadata;
  }

  write(frame: Frame, into: Buffer, start: number): number {
    const withMetadata = frame.withMetadata > 0;
    let at = start + MAGIC.copy(into, start);
    at = into.writeUInt16LE(VERSION, at);
    at = into.writeUInt16LE((withMetadata ? HAS_METADATA : 0) | (this.ids ? HAS_IDS : 0), at);
    at = writeLeb(frame.count, into, at);
    for (let index = frame.from; index < frame.to; index++) {
      if (this.refusals?.has(index)) continue;
      if (this.ids) at = this.ids.write(index, into, at);
      at = writeLeb(this.payloads.length(index), into, at);
      at = this.payloads.copy(index, into, at);
      if (!withMetadata) continue;
      const block = this.metadata![index];
      if (block) at += block.copy(into, at);
      else into[at++] = 0;
    }
    return at;
  }
}

/** Messages of a batch mostly share one metadata, which is encoded once then. */
function metadataBlocks(batch: MessageBatch) {
  let blocks: (Buffer | undefined)[] | undefined;
  let refusals: Map<number, unknown> | undefined;
  let last: Metadata | undefined;
  let lastBlock: Buffer | undefined;
  for (let index = 0; index < batch.length; index++) {
    const metadata = batch.metadata(index);
    if (metadata !== last) {
      const broken = illFormedKey(metadata);
      if (broken !== undefined) {
        refusals ??= new Map();
        refusals.set(index, errors.PACK_METADATA({ key: broken }));
        continue;
      }
      last = metadata;
      lastBlock = encodePairs(metadata);
    }
    if (lastBlock) (blocks ??= new Array<Buffer | undefined>(batch.length))[index] = lastBlock;
  }
  return { blocks, refusals };
}

/** Source positions are of the route that reads, not of the message; no sink writes them. */
const SOURCE_PREFIX = "mqb.src.";
const LONE_SURROGATE = /\p{Surrogate}/u;

function illFormedKey(metadata: Metadata): string | undefined {
  for (const [key, value] of metadata) if (LONE_SURROGATE.test(key) || LONE_SURROGATE.test(value)) return key;
  return undefined;
}

function encodePairs(metadata: Metadata): Buffer | undefined {
  const texts: Buffer[] = [];
  let size = 0;
  for (const [key, value] of metadata) {
    if (key.startsWith(SOURCE_PREFIX)) continue;
    for (const text of [Buffer.from(key), Buffer.from(value)]) {
      texts.push(text);
      size += lebBytes(text.length) + text.length;
    }
  }
  if (texts.length === 0) return undefined;
  const pairs = texts.length / 2;
  const block = Buffer.allocUnsafe(lebBytes(pairs) + size);
  let at = writeLeb(pairs, block, 0);
  for (const text of texts) {
    at = writeLeb(text.length, block, at);
    at += text.copy(block, at);
  }
  return block;
}
