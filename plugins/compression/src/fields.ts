import type { MessageBatch, SlabFields } from "@mqb/core/plugin";

/** The ids and metadata of a batch whose payloads have changed; `kept` are the positions that are left, undefined = all. */
export function fieldsFrom(batch: MessageBatch, kept?: Uint32Array): SlabFields {
  const placeOf = (index: number): number => (kept ? kept[index]! : index);
  return {
    id: (index) => batch.id(placeOf(index)),
    metadata(index) {
      const metadata = batch.metadata(placeOf(index));
      return metadata === batch.shared ? undefined : metadata;
    },
    ...(batch.writeId && {
      writeId(index, into, at) {
        batch.writeId!(placeOf(index), into, at);
        return true;
      },
    }),
  };
}
