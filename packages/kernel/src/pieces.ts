import type { Arena } from "./arena.ts";
import { arenaOf, type Engine } from "./engine.ts";
import type { Allocate } from "./gathered.ts";
import { PIECE_OF_TEXT, SLOT_STRIDE } from "./layout.ts";

const NOTHING = Buffer.alloc(0);
const LEAST = 1024;
/** Bytes for constants in front of the text. */
const CONSTANTS = 4096;
/** Longer texts are copied by the system. */
const SHORT = 64;
const SIZE = ~PIECE_OF_TEXT;
const MOST_CONSTANTS = 256;
/** What fits into the slot arrays, which lie one behind the other. */
const MOST = Math.floor((4 * SLOT_STRIDE) / 8);

/** Pieces that follow each other, by their places in the list, and what they lie in. */
interface Part {
  readonly from: number;
  to: number;
  readonly low: number;
  readonly high: number;
  readonly textLow: number;
  readonly textHigh: number;
  size: number;
}

/**
 * Bytes that are pieces of one source and text between them: the pieces are only listed while they are appended, and all of
 * them are put together at the end, by one call of the kernel. What is appended must not change before that.
 */
export class Pieces {
  private readonly engine: Engine;
  private source: Uint8Array = NOTHING;
  /** Constants up to `CONSTANTS`, then what is new. */
  private text = Buffer.allocUnsafeSlow(2 * CONSTANTS);
  private textLength = CONSTANTS;
  private readonly constants: Uint8Array[] = [];
  /** Where each of them lies, and where the next one would. */
  private readonly places = [0];
  /** The one that followed the last time. */
  private expected = 0;
  /** Position and size of each piece. */
  private list = new Uint32Array(LEAST);
  private used = 0;
  private size = 0;
  /** Where the pieces of the source lie. */
  private low = 0;
  private high = 0;

  constructor(engine: Engine = "auto") {
    this.engine = engine;
  }

  /** Begins anew, with no byte. */
  begin(source: Uint8Array): void {
    this.source = source;
    this.textLength = CONSTANTS;
    this.expected = 0;
    this.used = 0;
    this.size = 0;
    this.low = source.length;
    this.high = 0;
  }

  /** How many bytes there are; set back, the last ones are gone. */
  get length(): number {
    return this.size;
  }

  set length(length: number) {
    const { list } = this;
    while (this.size > length) {
      const word = list[this.used - 1]!;
      const size = word & SIZE;
      const over = Math.min(size, this.size - length);
      const at = list[this.used - 2]!;
      if (word !== size && at >= CONSTANTS) this.textLength = at + size - over;
      if (over < size) list[this.used - 1] = word - over;
      else this.used -= 2;
      this.size -= over;
    }
  }

  byte(byte: number): void {
    this.room(1);
    this.text[this.textLength] = byte;
    this.written(1);
  }

  put(bytes: Uint8Array): void {
    this.foreign(bytes, 0, bytes.length);
  }

  /** Appends bytes that never change, which are kept from one time to the next and known again by the object that they are. */
  constant(bytes: Uint8Array): void {
    const { constants, expected, places } = this;
    const at = constants[expected] === bytes ? expected : this.placeOf(bytes);
    if (at < 0) return void this.put(bytes);
    this.expected = at + 1 < constants.length ? at + 1 : 0;
    const size = places[at + 1]! - places[at]!;
    if (size > 0) this.append(places[at]!, size + PIECE_OF_TEXT, size);
  }

  /** Appends `from[start .. end)`: without a copy where it is the source. */
  copy(from: Uint8Array, start: number, end: number): void {
    const size = end - start;
    if (from !== this.source) this.foreign(from, start, size);
    else if (size > 0) {
      if (start < this.low) this.low = start;
      if (end > this.high) this.high = end;
      this.append(start, size);
    }
  }

  /** Appends ASCII text. */
  ascii(text: string): void {
    const size = text.length;
    this.room(size);
    for (let i = 0; i < size; i++) this.text[this.textLength + i] = text.charCodeAt(i);
    this.written(size);
  }

  /** All of it, in a buffer of exactly its size that `allocate` gives. */
  join(allocate: Allocate): Buffer {
    const out = allocate(this.size);
    const arena = arenaOf(this.engine);
    arena.owner = undefined;
    if (arena.simd && this.high > this.low) this.joinInKernel(arena, out);
    else this.joinHere(out, 0, 0, this.used);
    return out;
  }

  /** Which of the constants these bytes are, as a new one too; -1 where there is no room for them. */
  private placeOf(bytes: Uint8Array): number {
    const { constants, places, text } = this;
    const known = constants.indexOf(bytes);
    if (known >= 0) return known;
    const at = places[constants.length]!;
    if (at + bytes.length > CONSTANTS || constants.length >= MOST_CONSTANTS) return -1;
    text.set(bytes, at);
    places.push(at + bytes.length);
    return constants.push(bytes) - 1;
  }

  private foreign(from: Uint8Array, start: number, size: number): void {
    this.room(size);
    const { text, textLength } = this;
    if (size > SHORT) text.set(from.subarray(start, start + size), textLength);
    else for (let i = 0; i < size; i++) text[textLength + i] = from[start + i]!;
    this.written(size);
  }

  private room(size: number): void {
    if (this.textLength + size <= this.text.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.text.length, this.textLength + size));
    this.text.copy(larger, 0, 0, this.textLength);
    this.text = larger;
  }

  /** Text that was written follows the text before it, if that is the last piece. */
  private written(size: number): void {
    const { list, used, textLength } = this;
    this.textLength = textLength + size;
    const last = used > 0 ? list[used - 1]! : 0;
    if (last >= PIECE_OF_TEXT && list[used - 2]! + (last & SIZE) === textLength) {
      list[used - 1] = last + size;
      this.size += size;
    } else if (size > 0) this.append(textLength, size + PIECE_OF_TEXT, size);
  }

  private append(at: number, word: number, size = word): void {
    if (this.used === this.list.length) {
      const longer = new Uint32Array(2 * this.list.length);
      longer.set(this.list);
      this.list = longer;
    }
    this.list[this.used++] = at;
    this.list[this.used++] = word;
    this.size += size;
  }

  private joinInKernel(arena: Arena, out: Buffer): void {
    const { low, high, textLength, size, used } = this;
    const whole: Part = { from: 0, to: used, low, high, textLow: 0, textHigh: textLength, size };
    if (fits(arena, whole)) this.run(arena, whole, out, 0);
    else this.joinInParts(arena, out);
  }

  private joinInParts(arena: Arena, out: Buffer): void {
    const { used } = this;
    for (let from = 0, at = 0; from < used; ) {
      const part = this.partOf(arena, from);
      if (part.to > from) this.run(arena, part, out, at);
      else {
        part.to += 2;
        part.size = this.list[from + 1]! & SIZE;
        this.joinHere(out, at, from, part.to);
      }
      from = part.to;
      at += part.size;
    }
  }

  /** As many pieces as there is room for at once; none where the first alone is too large. */
  private partOf(arena: Arena, from: number): Part {
    const { list, used } = this;
    const none = Number.POSITIVE_INFINITY;
    let part: Part = { from, to: from, low: none, high: 0, textLow: none, textHigh: 0, size: 0 };
    while (part.to < used) {
      const start = list[part.to]!;
      const word = list[part.to + 1]!;
      const end = start + (word & SIZE);
      const more = { ...part, to: part.to + 2, size: part.size + end - start };
      if (word >= PIECE_OF_TEXT)
        Object.assign(more, { textLow: Math.min(part.textLow, start), textHigh: Math.max(part.textHigh, end) });
      else Object.assign(more, { low: Math.min(part.low, start), high: Math.max(part.high, end) });
      if (!fits(arena, more)) break;
      part = more;
    }
    return part;
  }

  private run({ memory, words, layout, loops }: Arena, part: Part, out: Buffer, at: number): void {
    const { input, scratch, slots, output } = layout;
    const { from, to, low, high, textLow, textHigh, size } = part;
    if (high > low) memory.set(this.source.subarray(low, high), input);
    if (textHigh > textLow) memory.set(this.text.subarray(textLow, textHigh), scratch);
    words.set(this.list.subarray(from, to), slots / 4);
    // Where there is none of them, nothing is added to anything.
    const [source, text] = [high > low ? input - low : 0, textHigh > textLow ? scratch - textLow : 0];
    loops.pieces!((to - from) / 2, slots, source, text, output);
    memory.copy(out, at, output, output + size);
  }

  /** The twin: piece by piece. */
  private joinHere(out: Buffer, at: number, from: number, to: number): void {
    const { list } = this;
    for (let i = from; i < to; i += 2) {
      const word = list[i + 1]!;
      const start = list[i]!;
      const size = word & SIZE;
      out.set((word === size ? this.source : this.text).subarray(start, start + size), at);
      at += size;
    }
  }
}

function fits({ layout }: Arena, { from, to, low, high, textLow, textHigh, size }: Part): boolean {
  return (
    high - low <= layout.inputSize &&
    textHigh - textLow <= layout.scratchSize &&
    size <= layout.outputSize &&
    to - from <= 2 * MOST
  );
}
