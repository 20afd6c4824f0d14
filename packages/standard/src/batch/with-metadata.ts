import { batchOf, fieldsFrom, Message, type MessageBatch, type Metadata, slabBatch } from "@mqb/core/plugin";

/**
 * The batch with other metadata where `change` gives some. Payloads and ids stay what they are. Of messages in a slab the
 * metadata is asked for when somebody reads it, once, and no message is made.
 */
export function withMetadata(batch: MessageBatch, change: (index: number) => Metadata | undefined): MessageBatch {
  if (!batch.slab) return batchOf(Array.from(batch, (message, index) => changed(message, change(index))));
  const known = new Array<Metadata | undefined>(batch.length);
  const metadata = (index: number): Metadata => (known[index] ??= change(index) ?? batch.metadata(index));
  return slabBatch(batch.slab, { ...fieldsFrom(batch), metadata });
}

function changed(message: Message, metadata: Metadata | undefined): Message {
  return metadata ? new Message(message.payload, metadata, message.id) : message;
}
