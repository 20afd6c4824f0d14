import { batchOf, type Delivery } from "@mqb/core/plugin";
import { joinBatches } from "./join.ts";

const NOTHING = batchOf([]);

/** Deliveries of one source as one. They are committed one after another, in the order of receipt. */
export function joinDeliveries(parts: readonly Delivery[]): Delivery {
  if (parts.length === 1) return parts[0]!;
  const filled = parts.map((part) => part.batch).filter((batch) => batch.length > 0);
  const emptied =
    filled.length === 0 && (parts.some((part) => part.emptied === true) || parts.find((part) => part.emptied)?.emptied);
  return {
    batch: filled.length > 0 ? joinBatches(filled) : NOTHING,
    ...(emptied ? { emptied } : {}),
    async commit(dispositions) {
      let from = 0;
      for (const part of parts) {
        const to = from + part.batch.length;
        await part.commit(to > from ? dispositions?.slice(from, to) : undefined);
        from = to;
      }
    },
    release() {
      for (const part of parts) part.release?.();
    },
  };
}
