import { asBuffer } from "@mqb/core/plugin";
import { MAX_JSON_DEPTH, scanJsonString, scanJsonValue, skipJsonBlank } from "@mqb/kernel";
import { jsonErrors } from "./errors.ts";
import type { JsonPath } from "./path.ts";
import { readString } from "./read.ts";

/** One change of a document: the new value as JSON, or `undefined` to take the field out. */
export interface FieldEdit {
  readonly path: JsonPath;
  readonly value: Uint8Array | undefined;
}

/** The edits of one place of the document: its own, and those further in. */
interface Place {
  edit?: FieldEdit;
  readonly members: Map<string, Place>;
  readonly items: Map<number, Place>;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const NONE = Buffer.alloc(0);

/**
 * A copy of `bytes[start .. end)` with some fields set or taken out; every other byte stays as it is. A field that is
 * absent is added at the end of its object, objects on the way to it are made, and what is in the way and no object is
 * replaced by one. Where a key is there twice, the last one is changed, and one that is taken out goes each time. A
 * position that an array does not have is left alone, an item that is taken out becomes null. Of two edits of one path
 * the later counts; one inside of what another replaces does not. Throws `permanent` errors when the bytes are not JSON.
 */
export function spliceFields(bytes: Uint8Array, start: number, end: number, edits: readonly FieldEdit[]): Buffer {
  const splicer = new Splicer(asBuffer(bytes), start, end);
  const at = skipJsonBlank(bytes, start, end);
  const behind = splicer.value(at, placesOf(edits));
  if (skipJsonBlank(bytes, behind, end) !== end)
    throw jsonErrors.MALFORMED({ offset: behind - start, expected: "the end" });
  splicer.copyTo(end);
  return splicer.result();
}

/** Walks over a document and remembers what is to be written: pieces of it, and new bytes between them. */
class Splicer {
  private readonly bytes: Buffer;
  private readonly start: number;
  private readonly end: number;
  private readonly stack = new Uint8Array(MAX_JSON_DEPTH);
  private readonly parts: Uint8Array[] = [];
  /** Everything before is in `parts`, or left out. */
  private copied: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.copied = start;
  }

  copyTo(at: number): void {
    if (at > this.copied) this.parts.push(this.bytes.subarray(this.copied, at));
    this.copied = at;
  }

  result(): Buffer {
    return Buffer.concat(this.parts);
  }

  /** Writes the value at `at` with the edits of `place`; returns the position behind it. */
  value(at: number, place: Place): number {
    const first = this.bytes[at];
    if (place.edit) {
      const behind = this.skip(at);
      this.replace(at, behind, place.edit.value ?? NONE);
      return behind;
    }
    if (first === OPEN_OBJECT && place.members.size > 0) return this.object(at, place);
    if (first === OPEN_ARRAY && place.items.size > 0) return this.array(at, place);
    const behind = this.skip(at);
    if (place.members.size > 0) {
      const made = fresh(place);
      if (made) this.replace(at, behind, made);
    }
    return behind;
  }

  private object(open: number, place: Place): number {
    const members = this.membersOf(open);
    const last = new Map(members.list.map((member, index) => [member.key, index]));
    let kept = 0;
    let from = open + 1;
    for (const [index, member] of members.list.entries()) {
      const inside = place.members.get(member.key);
      if (inside?.edit && inside.edit.value === undefined) {
        this.copyTo(from);
        this.copied = member.behind;
        from = member.behind;
        continue;
      }
      if (kept++ === 0 && index > 0) {
        // What stood before it is gone, and its comma with it.
        this.copyTo(from);
        this.copied = member.start;
      }
      if (inside && last.get(member.key) === index) this.value(member.value, inside);
      from = member.behind;
    }
    this.copyTo(from);
    for (const [key, inside] of place.members) {
      if (last.has(key)) continue;
      const value = inside.edit ? inside.edit.value : fresh(inside);
      if (value === undefined) continue;
      this.parts.push(Buffer.from(`${kept++ > 0 ? "," : ""}${JSON.stringify(key)}:`), value);
    }
    return members.behind;
  }

  private membersOf(open: number): { list: Member[]; behind: number } {
    const list: Member[] = [];
    let at = this.blank(open + 1);
    if (this.bytes[at] === CLOSE_OBJECT && at < this.end) return { list, behind: at + 1 };
    for (;;) {
      const start = at;
      const close = this.bytes[at] === QUOTE && at < this.end ? scanJsonString(this.bytes, at + 1, this.end) : -1;
      if (close < 0) throw this.malformed(at, "a key");
      at = this.blank(close + 1);
      if (this.bytes[at] !== COLON || at >= this.end) throw this.malformed(at, "a colon");
      const value = this.blank(at + 1);
      const behind = this.skip(value);
      list.push({ key: readString(this.bytes, start, close + 1), start, value, behind });
      at = this.blank(behind);
      if (at >= this.end) throw this.malformed(at, "a comma or }");
      if (this.bytes[at] === CLOSE_OBJECT) return { list, behind: at + 1 };
      if (this.bytes[at] !== COMMA) throw this.malformed(at, "a comma or }");
      at = this.blank(at + 1);
    }
  }

  private array(open: number, place: Place): number {
    let at = this.blank(open + 1);
    if (this.bytes[at] === CLOSE_ARRAY && at < this.end) return at + 1;
    for (let position = 0; ; position++) {
      const inside = place.items.get(position);
      // Taking an item out would move the others; it becomes null.
      if (inside?.edit && inside.edit.value === undefined) {
        const behind = this.skip(at);
        this.replace(at, behind, Buffer.from("null"));
        at = behind;
      } else at = inside ? this.value(at, inside) : this.skip(at);
      at = this.blank(at);
      if (at >= this.end) throw this.malformed(at, "a comma or ]");
      if (this.bytes[at] === CLOSE_ARRAY) return at + 1;
      if (this.bytes[at] !== COMMA) throw this.malformed(at, "a comma or ]");
      at = this.blank(at + 1);
    }
  }

  private replace(from: number, to: number, value: Uint8Array): void {
    this.copyTo(from);
    this.parts.push(value);
    this.copied = to;
  }

  private skip(at: number): number {
    const behind = scanJsonValue(this.bytes, at, this.end, this.stack);
    if (behind < 0) throw this.malformed(at, "a value");
    return behind;
  }

  private blank(at: number): number {
    return skipJsonBlank(this.bytes, at, this.end);
  }

  private malformed(offset: number, expected: string): Error {
    return jsonErrors.MALFORMED({ offset: offset - this.start, expected });
  }
}

interface Member {
  readonly key: string;
  readonly start: number;
  readonly value: number;
  readonly behind: number;
}

/** A new value that holds what the edits set; undefined when they only take out. */
function fresh(place: Place): Buffer | undefined {
  const parts: Uint8Array[] = [];
  for (const [key, inside] of place.members) {
    const value = inside.edit ? inside.edit.value : fresh(inside);
    if (value === undefined) continue;
    parts.push(Buffer.from(`${parts.length > 0 ? "," : "{"}${JSON.stringify(key)}:`), value);
  }
  return parts.length > 0 ? Buffer.concat([...parts, Buffer.from("}")]) : undefined;
}

function placesOf(edits: readonly FieldEdit[]): Place {
  const root = noPlace();
  for (const edit of edits) {
    let place = root;
    for (const step of edit.path)
      place = typeof step === "number" ? inside(place.items, step) : inside(place.members, step);
    place.edit = edit;
  }
  return root;
}

function inside<K>(places: Map<K, Place>, step: K): Place {
  const place = places.get(step) ?? noPlace();
  places.set(step, place);
  return place;
}

function noPlace(): Place {
  return { members: new Map(), items: new Map() };
}
