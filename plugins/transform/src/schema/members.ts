import { type JsonObject, readString } from "@mqb/json";
import { keySegment } from "../field-path.ts";
import type { SchemaNode } from "./node.ts";

const BACKSLASH = 0x5c;

export interface Member {
  readonly key: string;
  readonly node: SchemaNode | undefined;
  readonly required: boolean;
}

/** The fields that a schema names in one object. Remembers which of them the object at hand has. */
export class Members {
  readonly nodes: readonly (SchemaNode | undefined)[];
  readonly required: readonly boolean[];
  /** How each is appended to an error's path. */
  readonly segments: readonly string[];
  /** `"key":` of each. */
  readonly labels: readonly Buffer[];
  /** Those that an object must not lack: required, or with a default. */
  readonly expected: readonly number[];
  readonly texts: readonly string[];
  private readonly keys: readonly Buffer[];
  private readonly byLength: (number[] | undefined)[] = [];
  private readonly seen: Uint32Array;
  private object = 0;
  /** Objects mostly have their fields in the same order. */
  private next = 0;

  constructor(members: readonly Member[]) {
    this.nodes = members.map(({ node }) => node);
    this.required = members.map(({ required }) => required);
    this.texts = members.map(({ key }) => key);
    this.segments = this.texts.map(keySegment);
    this.keys = this.texts.map((key) => Buffer.from(key));
    this.labels = this.texts.map((key) => Buffer.from(`${JSON.stringify(key)}:`));
    this.expected = [...members.keys()].filter((index) => this.required[index]! || this.nodes[index]?.default);
    this.seen = new Uint32Array(members.length);
    for (const [index, { length }] of this.keys.entries()) (this.byLength[length] ??= []).push(index);
  }

  /** Turns to the next object: nothing is seen. */
  begin(): void {
    if (this.object === 0xffffffff) {
      this.object = 0;
      this.seen.fill(0);
    }
    this.object++;
    this.next = 0;
  }

  /** Marks a field as seen; false when it was before. */
  see(index: number): boolean {
    if (this.seen[index] === this.object) return false;
    this.seen[index] = this.object;
    return true;
  }

  has(index: number): boolean {
    return this.seen[index] === this.object;
  }

  /** A required field that an object does not have, and no default stands in for; -1 = none. */
  missingIn(object: JsonObject, applyDefaults: boolean): number {
    const lacks = (index: number): boolean =>
      this.required[index]! &&
      !(applyDefaults && this.nodes[index]?.default !== undefined) &&
      !object.has(this.texts[index]!);
    return this.expected.find(lacks) ?? -1;
  }

  /** Which field the key between the quotes at `open` and `close` names; -1 = none of them. */
  find(bytes: Uint8Array, open: number, close: number): number {
    const start = open + 1;
    const length = close - start;
    const guess = this.next;
    if (guess < this.keys.length && isAt(this.keys[guess]!, bytes, start, length)) {
      this.next = guess + 1;
      return guess;
    }
    const same = this.byLength[length];
    if (same) {
      for (let i = 0; i < same.length; i++) {
        const index = same[i]!;
        if (!isAt(this.keys[index]!, bytes, start, length)) continue;
        this.next = index + 1;
        return index;
      }
    }
    for (let at = start; at < close; at++) {
      if (bytes[at] === BACKSLASH) return this.texts.indexOf(readString(bytes, open, close + 1));
    }
    return -1;
  }
}

function isAt(key: Buffer, bytes: Uint8Array, start: number, length: number): boolean {
  if (key.length !== length) return false;
  for (let i = 0; i < length; i++) if (key[i] !== bytes[start + i]) return false;
  return true;
}
