export const PRODUCE = 0;
/** Version 7 takes zstd; brokers before 2.1 get the other one. */
export const PRODUCE_VERSIONS = [7, 3] as const;

/** One record batch for one partition. */
export interface PartitionRecords {
  readonly topic: string;
  readonly partition: number;
  readonly head: Buffer;
  readonly body: Uint8Array;
}

export interface ProduceOptions {
  readonly acks: number;
  readonly timeoutMs: number;
  readonly transactionalId: string | undefined;
}

/** The parts of a request that writes these batches, grouped by topic. Records are not copied. */
export function produceRequest(batches: readonly PartitionRecords[], options: ProduceOptions): Uint8Array[] {
  const topics = new Map<string, PartitionRecords[]>();
  for (const batch of batches) {
    const known = topics.get(batch.topic);
    if (known) known.push(batch);
    else topics.set(batch.topic, [batch]);
  }
  const id = options.transactionalId === undefined ? undefined : Buffer.from(options.transactionalId);
  const first = Buffer.allocUnsafe(12 + (id?.length ?? 0));
  let at = first.writeInt16BE(id ? id.length : -1, 0);
  if (id) at += id.copy(first, at);
  at = first.writeInt16BE(options.acks, at);
  at = first.writeInt32BE(options.timeoutMs, at);
  first.writeInt32BE(topics.size, at);
  const parts: Uint8Array[] = [first];
  for (const [topic, partitions] of topics) {
    const name = Buffer.from(topic);
    const head = Buffer.allocUnsafe(6 + name.length);
    head.writeInt16BE(name.length, 0);
    name.copy(head, 2);
    head.writeInt32BE(partitions.length, 2 + name.length);
    parts.push(head);
    for (const { partition, head: batchHead, body } of partitions) {
      const place = Buffer.allocUnsafe(8);
      place.writeInt32BE(partition, 0);
      place.writeInt32BE(batchHead.length + body.length, 4);
      parts.push(place, batchHead, body);
    }
  }
  return parts;
}

/** The error code of each partition, by `topic` and number. */
export function parseProduced(bytes: Buffer, version: number): Map<string, number> {
  const codes = new Map<string, number>();
  let at = 4;
  for (let topics = bytes.readInt32BE(0); topics > 0; topics--) {
    const length = bytes.readInt16BE(at);
    const topic = bytes.toString("utf8", at + 2, at + 2 + length);
    at += 2 + length;
    let partitions = bytes.readInt32BE(at);
    at += 4;
    for (; partitions > 0; partitions--) {
      codes.set(partitionKey(topic, bytes.readInt32BE(at)), bytes.readInt16BE(at + 4));
      at += version >= 5 ? 30 : 22;
    }
  }
  return codes;
}

export function partitionKey(topic: string, partition: number): string {
  return `${partition} ${topic}`;
}
