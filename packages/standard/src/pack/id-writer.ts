import type { MessageBatch } from "@mqb/core/plugin";
import { ID_BYTES } from "./layout.ts";

const TEXT_LENGTH = 36;
const HYPHEN = 45;

/** Writes the ids of a batch as numbers, the lowest byte first; makes no text where the batch has bytes. */
export class IdWriter {
  private readonly batch: MessageBatch;
  private readonly fresh: Uint8Array | undefined;
  private readonly text = Buffer.alloc(TEXT_LENGTH);

  constructor(batch: MessageBatch) {
    this.batch = batch;
    this.fresh = batch.idBytes?.();
  }

  /** Returns the end of what was written. */
  write(index: number, into: Uint8Array, at: number): number {
    const { batch, fresh, text } = this;
    let to = at + ID_BYTES;
    if (fresh) {
      for (let from = ID_BYTES * index; to > at; ) into[--to] = fresh[from++]!;
      return at + ID_BYTES;
    }
    if (batch.writeId) batch.writeId(index, text, 0);
    else text.write(batch.id(index), "latin1");
    for (let from = 0; to > at; from += 2) {
      if (text[from] === HYPHEN) from++;
      into[--to] = (digit(text[from]!) << 4) | digit(text[from + 1]!);
    }
    return at + ID_BYTES;
  }
}

/** The value of a hexadecimal digit. */
function digit(character: number): number {
  return (character & 15) + 9 * (character >> 6);
}
