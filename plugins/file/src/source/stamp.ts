import type { OpenContext } from "@mqb/core/plugin";

export interface StampOptions {
  /** As configured: part names hold its hash. */
  readonly path: string;
  readonly positions: boolean;
  /** Of sources whose record numbers do not repeat in another run. */
  readonly epoch: number | undefined;
  readonly offsets: boolean;
}

/** Puts the position of a record into its metadata; undefined when nothing is asked for. */
export function makeStamp(
  options: StampOptions,
): ((record: number, offsetAfter: number, into: Map<string, string>) => void) | undefined {
  const { path, positions, epoch, offsets } = options;
  if (!positions && !offsets) return undefined;
  return (record, offsetAfter, into) => {
    if (offsets) into.set("file_offset", String(offsetAfter));
    if (!positions) return;
    into.set("mqb.src.file_path", path);
    into.set("mqb.src.file_record", String(record));
    if (epoch !== undefined) into.set("mqb.src.file_epoch", String(epoch));
  };
}

/** The start time of a run in milliseconds; later runs of a bridge have larger ones. */
export function epochOf(context: Pick<OpenContext, "local" | "clock">): number {
  const last = context.local("file:epoch", () => ({ value: 0 }));
  last.value = Math.max(last.value + 1, context.clock.now());
  return last.value;
}
