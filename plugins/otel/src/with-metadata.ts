import { batchOf, Message, type MessageBatch, type Metadata, type SlabFields, slabBatch } from "@mqb/core/plugin";

/** The batch with other metadata, which is made when somebody asks for it. Payloads and ids stay what they are. */
export function withMetadata(batch: MessageBatch, metadata: (index: number) => Metadata): MessageBatch {
  if (!batch.slab) {
    return batchOf(Array.from(batch, (message, index) => new Message(message.payload, metadata(index), message.id)));
  }
  const known = new Array<Metadata | undefined>(batch.length);
  const fields: SlabFields = {
    id: (index) => batch.id(index),
    metadata: (index) => (known[index] ??= metadata(index)),
    ...(batch.writeId && {
      writeId(index, into, at) {
        batch.writeId!(index, into, at);
        return true;
      },
    }),
  };
  return slabBatch(batch.slab, fields);
}
