import { batchOf, Message, type MessageBatch, type Metadata, type SlabFields, slabBatch } from "@mqb/core/plugin";

/**
 * The batch with other metadata where `change` gives some. Payloads and ids stay what they are. Of messages in a slab the
 * metadata is asked for when somebody reads it, once, and no message is made.
 */
export function withMetadata(batch: MessageBatch, change: (index: number) => Metadata | undefined): MessageBatch {
  if (!batch.slab) return batchOf(Array.from(batch, (message, index) => changed(message, change(index))));
  const known = new Array<Metadata | undefined>(batch.length);
  const fields: SlabFields = {
    id: (index) => batch.id(index),
    metadata: (index) => (known[index] ??= change(index) ?? batch.metadata(index)),
    ...(batch.writeId && {
      writeId: (index, into, at) => {
        batch.writeId!(index, into, at);
        return true;
      },
    }),
  };
  return slabBatch(batch.slab, fields);
}

function changed(message: Message, metadata: Metadata | undefined): Message {
  return metadata ? new Message(message.payload, metadata, message.id) : message;
}
