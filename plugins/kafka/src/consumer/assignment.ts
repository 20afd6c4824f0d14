import type { Strategy } from "../options/consumer.ts";

/** Partition numbers by topic. */
export type Assignment = ReadonlyMap<string, readonly number[]>;

export interface Member {
  readonly id: string;
  readonly topics: readonly string[];
}

/** What a member says of itself when it joins. */
export function encodeSubscription(topics: readonly string[]): Buffer {
  const parts = [int16(0), int32(topics.length), ...topics.map(text), int32(0)];
  return Buffer.concat(parts);
}

/** The topics that a member wants. One whose words cannot be read gets nothing, and does not keep the others from theirs. */
export function decodeSubscription(bytes: Buffer): string[] {
  const topics: string[] = [];
  let at = 6;
  for (let left = bytes.length < 6 ? 0 : bytes.readInt32BE(2); left > 0; left--) {
    const start = at + 2;
    if (start > bytes.length) return [];
    at = start + bytes.readInt16BE(at);
    if (at < start || at > bytes.length) return [];
    topics.push(bytes.toString("utf8", start, at));
  }
  return topics;
}

export function encodeAssignment(assignment: Assignment): Buffer {
  const parts = [int16(0), int32(assignment.size)];
  for (const [topic, numbers] of assignment) parts.push(text(topic), int32(numbers.length), ...numbers.map(int32));
  return Buffer.concat([...parts, int32(0)]);
}

export function decodeAssignment(bytes: Buffer): Assignment {
  const assignment = new Map<string, number[]>();
  // A member that gets nothing may get no bytes at all.
  if (bytes.length < 6) return assignment;
  let at = 6;
  for (let left = bytes.readInt32BE(2); left > 0; left--) {
    const length = bytes.readInt16BE(at);
    const topic = bytes.toString("utf8", at + 2, at + 2 + length);
    at += 2 + length;
    const numbers: number[] = [];
    for (let count = bytes.readInt32BE(at); count > 0; count--) numbers.push(bytes.readInt32BE((at += 4)));
    at += 4;
    assignment.set(topic, numbers);
  }
  return assignment;
}

/** Shares out the partitions of each topic (`counts`) among the members that subscribe to it. */
export function assign(
  strategy: Strategy,
  members: readonly Member[],
  counts: ReadonlyMap<string, number>,
): Map<string, Map<string, number[]>> {
  const sorted = [...members].sort((a, b) => (a.id < b.id ? -1 : 1));
  const shares = new Map(sorted.map(({ id }) => [id, new Map<string, number[]>()]));
  const give = ({ id }: Member, topic: string, number: number): void => {
    const share = shares.get(id)!;
    const numbers = share.get(topic);
    if (numbers) numbers.push(number);
    else share.set(topic, [number]);
  };
  let turn = 0;
  for (const [topic, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const takers = sorted.filter(({ topics }) => topics.includes(topic));
    if (takers.length === 0) continue;
    if (strategy === "roundrobin") {
      for (let number = 0; number < count; number++) {
        while (!takers.includes(sorted[turn % sorted.length]!)) turn++;
        give(sorted[turn++ % sorted.length]!, topic, number);
      }
      continue;
    }
    const [least, more] = [Math.floor(count / takers.length), count % takers.length];
    let number = 0;
    for (const [i, taker] of takers.entries()) {
      for (let left = least + (i < more ? 1 : 0); left > 0; left--) give(taker, topic, number++);
    }
  }
  return shares;
}

function int16(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
}
