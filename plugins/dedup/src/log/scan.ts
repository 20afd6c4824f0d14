import { FRAME_HEADER_SIZE, FRAME_MAGIC, frameEnd, HEADER_SIZE, KEY_SIZE, Kind, readHeader } from "./frame.ts";

/** Bytes `from .. to` of a file. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** What one file of keys holds. */
export interface Scan {
  readonly size: number;
  /** Undefined: the header cannot be read. */
  readonly header: { readonly version: number; readonly seed: Buffer } | undefined;
  /** The frames that are whole, in order. */
  readonly frames: readonly Range[];
  /** What lies between them and is none. */
  readonly damaged: readonly Range[];
  /** What lies behind the last one: a write that did not finish, as a crash leaves it. */
  readonly unfinished: Range | undefined;
}

/** Looks at every byte of a file. Behind something damaged it goes on with the next whole frame. */
export function scan(bytes: Buffer): Scan {
  const header = readHeader(bytes);
  const frames: Range[] = [];
  const damaged: Range[] = [];
  let unfinished: Range | undefined;
  const start = Math.min(HEADER_SIZE, bytes.length);
  for (let at = start; at < bytes.length; ) {
    const end = frameEnd(bytes, at);
    if (end >= 0) {
      frames.push({ from: at, to: end });
      at = end;
      continue;
    }
    const next = nextFrame(bytes, at + 1);
    if (next < 0) {
      unfinished = { from: at, to: bytes.length };
      break;
    }
    damaged.push({ from: at, to: next });
    at = next;
  }
  return { size: bytes.length, header, frames, damaged, unfinished };
}

function nextFrame(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(FRAME_MAGIC, from); at >= 0; at = bytes.indexOf(FRAME_MAGIC, at + 1))
    if (frameEnd(bytes, at) >= 0) return at;
  return -1;
}

/** Every key of whole frames. `words` are valid during the call; `answer` is the frame that holds one. */
export function eachKey(
  bytes: Buffer,
  frames: readonly Range[],
  visit: (words: Uint32Array, expiresAt: number, answer: Range | undefined) => void,
): void {
  const aligned = bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(Uint8Array.from(bytes).buffer);
  const all = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length >> 2);
  const doubles = new Float64Array(aligned.buffer, aligned.byteOffset, aligned.length >> 3);
  const words = new Uint32Array(4);
  for (const frame of frames) {
    const kind = all[(frame.from + 4) >> 2]!;
    const body = frame.from + FRAME_HEADER_SIZE;
    const end = kind === Kind.keys ? frame.to : kind === Kind.answer ? body + KEY_SIZE : body;
    const answer = kind === Kind.answer ? frame : undefined;
    for (let at = body; at + KEY_SIZE <= end; at += KEY_SIZE) {
      const from = at >> 2;
      for (let i = 0; i < 4; i++) words[i] = all[from + i]!;
      visit(words, doubles[(at + 16) >> 3]!, answer);
    }
  }
}
