import { CompactReader, compactText, NO_TAGS, uvarint } from "./compact.ts";
import type { ProducerIdentity } from "./record-batch.ts";

export const TXN_OFFSET_COMMIT = 28;
/** The first version in which the broker checks that the member still belongs to the group. */
export const TXN_OFFSETS_VERSION = 3;

export interface TxnMember {
  readonly groupId: string;
  readonly memberId: string;
  readonly generation: number;
}

/** A request that makes offsets part of a transaction. */
export function txnOffsetsRequest(
  transactionalId: string,
  producer: ProducerIdentity,
  { groupId, memberId, generation }: TxnMember,
  topics: ReadonlyMap<string, readonly { readonly partition: number; readonly offset: number }[]>,
): Buffer {
  const numbers = Buffer.allocUnsafe(14);
  numbers.writeBigInt64BE(producer.id, 0);
  numbers.writeInt16BE(producer.epoch, 8);
  numbers.writeInt32BE(generation, 10);
  const parts: Buffer[] = [compactText(transactionalId), compactText(groupId), numbers, compactText(memberId)];
  // No static member, then the topics.
  parts.push(uvarint(0), uvarint(topics.size + 1));
  for (const [topic, offsets] of topics) {
    parts.push(compactText(topic), uvarint(offsets.length + 1));
    for (const { partition, offset } of offsets) {
      const place = Buffer.allocUnsafe(16);
      place.writeInt32BE(partition, 0);
      place.writeBigInt64BE(BigInt(offset), 4);
      place.writeInt32BE(-1, 12);
      // No metadata.
      parts.push(place, uvarint(1), NO_TAGS);
    }
    parts.push(NO_TAGS);
  }
  parts.push(NO_TAGS);
  return Buffer.concat(parts);
}

/** The first error code in the answer; 0 = all is taken. */
export function parseTxnOffsets(bytes: Buffer): number {
  const reader = new CompactReader(bytes, 4);
  let first = 0;
  for (let topics = reader.uvarint() - 1; topics > 0; topics--) {
    reader.text();
    for (let left = reader.uvarint() - 1; left > 0; left--) {
      first ||= bytes.readInt16BE(reader.at + 4);
      reader.at += 6;
      reader.tags();
    }
    reader.tags();
  }
  return first;
}
