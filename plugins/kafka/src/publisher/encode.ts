import { idToBytes, type MessageBatch } from "@mqb/core/plugin";
import type { Partitioner } from "../wire/partitioner.ts";
import { RecordWriter } from "../wire/record-writer.ts";
import type { Identity } from "./identity.ts";

/** Records of one partition that go into one record batch. */
export interface Chunk {
  readonly partition: number;
  /** As they are sent, compressed or not. */
  body: Buffer;
  /** Number of the codec of `body`; 0 = as written. */
  codec: number;
  /** Where their messages stand in the batch of the route. */
  readonly positions: readonly number[];
  /** How an idempotent producer has numbered it. It keeps its numbers as long as a broker may have it. */
  numbers?: Numbers | undefined;
}

export interface Numbers {
  readonly identity: Identity;
  /** The number of its first record. */
  readonly sequence: number;
}

export interface EncodeOptions {
  readonly partitions: number;
  readonly partitioner: Partitioner;
  /** Metadata entry that holds the key. */
  readonly keyField: string | undefined;
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** What a record has around its payload, about. */
export const OVERHEAD = 100;

/** Encodes messages of a batch, in their order within each partition. `positions` undefined = all of them. */
export function encodeBatch(batch: MessageBatch, options: EncodeOptions, positions?: readonly number[]): Chunk[] {
  const open = new Map<number, { readonly writer: RecordWriter; positions: number[] }>();
  const chunks: Chunk[] = [];
  const { partitions, partitioner, keyField, maxRecords, maxBytes } = options;
  const ids = batch.idBytes?.();
  const count = positions?.length ?? batch.length;
  for (let n = 0; n < count; n++) {
    const i = positions ? positions[n]! : n;
    const id = ids ?? idToBytes(batch.id(i));
    const idAt = ids ? 16 * i : 0;
    const metadata = batch.metadata(i);
    const written = keyField === undefined ? undefined : metadata.get(keyField);
    const key = written === undefined ? null : Buffer.from(written);
    const partition = key ? partitioner(key, 0, key.length, partitions) : partitioner(id, idAt, idAt + 16, partitions);
    const payload = batch.payload(i);
    let into = open.get(partition);
    if (!into) open.set(partition, (into = { writer: new RecordWriter(), positions: [] }));
    const { writer } = into;
    const isFull = writer.count >= maxRecords || writer.length + payload.length + OVERHEAD > maxBytes;
    if (isFull && writer.count > 0) {
      chunks.push(chunkOf(partition, writer, into.positions));
      into.positions = [];
      writer.restart();
    }
    writer.message(id, idAt, key, payload, metadata);
    into.positions.push(i);
  }
  for (const [partition, { writer, positions: those }] of open) chunks.push(chunkOf(partition, writer, those));
  return chunks;
}

/** Parts in which one that the broker refuses is told from the others. */
export function halves(positions: readonly number[]): (readonly number[])[] {
  const middle = positions.length >> 1;
  return [positions.slice(0, middle), positions.slice(middle)];
}

function chunkOf(partition: number, writer: RecordWriter, positions: readonly number[]): Chunk {
  return { partition, body: writer.written(), codec: 0, positions };
}
