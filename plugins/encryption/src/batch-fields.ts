import { type MessageBatch, type Slab, type SlabFields, slabBatch } from "@mqb/core/plugin";

/** The messages of a batch with other payloads: ids and metadata stay. `kept`: the positions that the slab is for. */
export function withPayloads(batch: MessageBatch, slab: Slab, kept: Uint32Array | undefined): MessageBatch {
  return slabBatch(slab, fieldsOf(batch, kept), batch.shared);
}

function fieldsOf(batch: MessageBatch, kept: Uint32Array | undefined): SlabFields {
  const placeOf = (index: number): number => (kept ? kept[index]! : index);
  const fields: SlabFields = {
    id: (index) => batch.id(placeOf(index)),
    metadata(index) {
      const metadata = batch.metadata(placeOf(index));
      return metadata === batch.shared ? undefined : metadata;
    },
  };
  if (!batch.writeId) return fields;
  return {
    ...fields,
    writeId(index, into, at) {
      batch.writeId!(placeOf(index), into, at);
      return true;
    },
  };
}
