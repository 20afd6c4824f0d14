import { crc32c } from "./crc32c.ts";

/** A record batch (format 2) begins with so many bytes. */
export const BATCH_HEADER = 61;
/** Where in it the checksum begins to count. */
const CHECKED_FROM = 21;
const MAGIC = 2;

export const TRANSACTIONAL = 0x10;
export const CONTROL = 0x20;

export const NO_PRODUCER: ProducerIdentity = { id: -1n, epoch: -1 };

/** Who writes, for brokers that recognise what was written before. */
export interface ProducerIdentity {
  readonly id: bigint;
  readonly epoch: number;
}

export interface BatchHead {
  readonly codec: number;
  readonly count: number;
  readonly timestamp: number;
  readonly producer: ProducerIdentity;
  /** The number of the first record among those of this producer and partition; -1 = not counted. */
  readonly sequence: number;
  readonly transactional: boolean;
}

/** The head of a record batch for `body`, its records as they are sent. */
export function batchHead(head: BatchHead, body: Uint8Array): Buffer {
  const { count, producer } = head;
  const bytes = Buffer.allocUnsafe(BATCH_HEADER);
  bytes.writeBigInt64BE(0n, 0);
  bytes.writeInt32BE(BATCH_HEADER - 12 + body.length, 8);
  bytes.writeInt32BE(-1, 12);
  bytes[16] = MAGIC;
  bytes.writeInt16BE(head.codec | (head.transactional ? TRANSACTIONAL : 0), 21);
  bytes.writeInt32BE(count - 1, 23);
  const timestamp = BigInt(head.timestamp);
  bytes.writeBigInt64BE(timestamp, 27);
  bytes.writeBigInt64BE(timestamp, 35);
  bytes.writeBigInt64BE(producer.id, 43);
  bytes.writeInt16BE(producer.epoch, 51);
  bytes.writeInt32BE(head.sequence, 53);
  bytes.writeInt32BE(count, 57);
  const crc = crc32c(body, 0, body.length, crc32c(bytes, CHECKED_FROM, BATCH_HEADER));
  bytes.writeUInt32BE(crc, 17);
  return bytes;
}

/** Whether the checksum of the batch at `at`, which is complete, is right. */
export function isIntact(bytes: Buffer, at: number): boolean {
  const end = at + 12 + bytes.readInt32BE(at + 8);
  return crc32c(bytes, at + CHECKED_FROM, end) === bytes.readUInt32BE(at + 17);
}
