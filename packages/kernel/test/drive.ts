import { CsvToJson, type CsvToJsonOptions } from "../src/csv-to-json.ts";
import type { Engine } from "../src/engine.ts";
import type { Ranges } from "../src/ranges.ts";
import { isRecordFault, type RecordFault, type RecordReader, type RecordSlab } from "../src/records.ts";

/** Both twins: every behaviour is tested on each. `simd` throws where the kernel cannot be made. */
export const ENGINES: readonly Engine[] = ["simd", "js"];

/** Text as bytes, one byte a character. */
export function bytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}

export function texts(...items: readonly string[]): Ranges {
  const parts = items.map((item) => Buffer.from(item));
  const ends = Uint32Array.from(
    parts,
    (
      (at) => (part: Buffer) =>
        (at += part.length + 1) - 1
    )(0),
  );
  const starts = Uint32Array.from(ends, (end, i) => end - parts[i]!.length);
  return {
    bytes: Buffer.concat(parts.flatMap((part) => [part, Buffer.from("\n")])),
    starts,
    ends,
    count: items.length,
  };
}

export function recordsOf(slab: RecordSlab): string[] {
  return Array.from(slab.starts, (start, i) => slab.bytes.toString("utf8", start, slab.ends[i]));
}

/** Feeds the pieces one by one, ends the input, and gathers the slabs and the fault that stopped it, if one did. */
export function readAll<S extends RecordSlab>(
  reader: RecordReader<S>,
  pieces: readonly Buffer[],
  max = 1024,
): { slabs: S[]; fault: RecordFault | undefined } {
  const slabs: S[] = [];
  const take = (): void => {
    for (let slab = reader.take(max); slab !== undefined; slab = reader.take(max)) slabs.push(slab);
  };
  try {
    for (const piece of pieces) {
      reader.feed(piece);
      take();
    }
    reader.end();
    take();
  } catch (error) {
    if (!isRecordFault(error)) throw error;
    return { slabs, fault: error };
  }
  return { slabs, fault: undefined };
}

/** CSV text (UTF-8) to the JSON lines it becomes. */
export function csvLines(text: string | Buffer, options: CsvToJsonOptions = {}): string[] {
  const { slabs, fault } = readAll(new CsvToJson(options), [Buffer.from(text)]);
  if (fault !== undefined) throw fault;
  return slabs.flatMap(recordsOf);
}
