import { readString } from "@mqb/json";
import { MAX_JSON_DEPTH, scanJsonString, scanJsonValue, skipJsonBlank } from "@mqb/kernel";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The names of the members of an object in their order, as one value for all objects that have the same. */
export interface Shape {
  readonly names: readonly string[];
}

/**
 * Walks over the members of one JSON object at a time, without a tree. Objects with the same keys in the same order,
 * written alike, share a shape: then no name is made. Positions are valid until the next `read`.
 */
export class Members {
  shape: Shape = { names: [] };
  /** Where each value lies, quotes of a string included. */
  starts: number[] = [];
  ends: number[] = [];
  /** Where each key lies, with quotes: begin, end, begin, … */
  private readonly spans: number[] = [];
  private readonly stack = new Uint8Array(MAX_JSON_DEPTH);
  private readonly shapes = new Map<string, Shape>();
  /** The bytes of the keys of the object before, with quotes. */
  private keys: Buffer[] = [];
  private same: Shape | undefined;

  /** False when `bytes[start .. end)` is not one JSON object. */
  read(bytes: Buffer, start: number, end: number): boolean {
    const { spans } = this;
    this.starts.length = this.ends.length = spans.length = 0;
    let at = skipJsonBlank(bytes, start, end);
    if (at >= end || bytes[at] !== OPEN_OBJECT) return false;
    at = skipJsonBlank(bytes, at + 1, end);
    if (bytes[at] === CLOSE_OBJECT && at < end) at++;
    else {
      for (;;) {
        if (at >= end || bytes[at] !== QUOTE) return false;
        const close = scanJsonString(bytes, at + 1, end);
        if (close < 0) return false;
        spans.push(at, close + 1);
        at = skipJsonBlank(bytes, close + 1, end);
        if (at >= end || bytes[at] !== COLON) return false;
        at = skipJsonBlank(bytes, at + 1, end);
        const value = at;
        at = scanJsonValue(bytes, at, end, this.stack);
        if (at < 0) return false;
        this.starts.push(value);
        this.ends.push(at);
        at = skipJsonBlank(bytes, at, end);
        if (at >= end) return false;
        if (bytes[at] === CLOSE_OBJECT) {
          at++;
          break;
        }
        if (bytes[at] !== COMMA) return false;
        at = skipJsonBlank(bytes, at + 1, end);
      }
    }
    if (skipJsonBlank(bytes, at, end) !== end) return false;
    this.shape = this.shapeOf(bytes, spans);
    return true;
  }

  private shapeOf(bytes: Buffer, spans: readonly number[]): Shape {
    if (this.same && this.isSame(bytes, spans)) return this.same;
    this.keys = [];
    const names: string[] = [];
    for (let i = 0; i < spans.length; i += 2) {
      this.keys.push(Buffer.from(bytes.subarray(spans[i]!, spans[i + 1]!)));
      names.push(readString(bytes, spans[i]!, spans[i + 1]!));
    }
    const key = JSON.stringify(names);
    let shape = this.shapes.get(key);
    if (!shape) {
      // Foreign keys make the number of shapes; those that come no more go with the rest.
      if (this.shapes.size >= 1000) this.shapes.clear();
      this.shapes.set(key, (shape = { names }));
    }
    return (this.same = shape);
  }

  private isSame(bytes: Buffer, spans: readonly number[]): boolean {
    const { keys } = this;
    if (keys.length * 2 !== spans.length) return false;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]!;
      const from = spans[2 * i]!;
      if (spans[2 * i + 1]! - from !== key.length) return false;
      for (let j = 0; j < key.length; j++) if (bytes[from + j] !== key[j]) return false;
    }
    return true;
  }
}
