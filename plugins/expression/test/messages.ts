import { batchOf, Message, type MessageBatch, slabBatch } from "@mqb/core/plugin";

/** The same payloads as a batch of messages and as one over a slab: whatever reads them has to give the same. */
export function bothForms(payloads: readonly string[]): readonly MessageBatch[] {
  const bytes = payloads.map((payload) => Buffer.from(payload));
  const ends: number[] = [];
  for (const one of bytes) ends.push((ends.at(-1) ?? 0) + one.length);
  const starts = Uint32Array.from(ends, (end, index) => end - bytes[index]!.length);
  return [
    batchOf(bytes.map((payload) => new Message(payload))),
    slabBatch({ bytes: Buffer.concat(bytes), starts, ends: Uint32Array.from(ends) }),
  ];
}
