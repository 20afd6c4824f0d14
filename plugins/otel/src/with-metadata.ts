import { batchOf, fieldsFrom, Message, type MessageBatch, type Metadata, slabBatch } from "@mqb/core/plugin";

/** The batch with other metadata, which is made when somebody asks for it. Payloads and ids stay what they are. */
export function withMetadata(batch: MessageBatch, metadata: (index: number) => Metadata): MessageBatch {
  if (!batch.slab) {
    return batchOf(Array.from(batch, (message, index) => new Message(message.payload, metadata(index), message.id)));
  }
  const known = new Array<Metadata | undefined>(batch.length);
  const of = (index: number): Metadata => (known[index] ??= metadata(index));
  return slabBatch(batch.slab, { ...fieldsFrom(batch), metadata: of });
}
