import { asBuffer, type MessageBatch } from "@mqb/core/plugin";
import { type BatchFields, compileBatchFields, FieldKind, type JsonPath, readString } from "@mqb/json";
import type { Segment } from "@mqb/standard";
import { Origin } from "./hash.ts";
import { Scratch } from "./scratch.ts";
import { type Env, type KeyText, parseKey } from "./template.ts";

const BACKSLASH = 0x5c;
const ID_LENGTH = 36;

/** Where a part of a key comes from. */
type Part =
  | { readonly from: "literal"; readonly bytes: Uint8Array }
  /** `fields`: the paths that the token may mean, of which at most one is there. */
  | { readonly from: "payload"; readonly fields: readonly number[]; readonly base64: boolean }
  | { readonly from: "metadata"; readonly key: string; readonly base64: boolean }
  | { readonly from: "id" | "body"; readonly base64: boolean };

/** Takes a key: `bytes[start .. end)`, and what it was made from. */
interface KeyTaker {
  hash(bytes: Uint8Array, start: number, end: number, origin: number): void;
}

/**
 * Hashes the keys of messages from their bytes; makes no message and no text where the key is a field of the payload.
 * One per place that uses it.
 */
export class KeyReader {
  private readonly hash: KeyTaker;
  /** The parts of each template; undefined = the key is the message id. */
  private readonly templates: readonly (readonly Part[])[] | undefined;
  private readonly origin: number;
  private readonly found: BatchFields | undefined;
  private readonly only: number;
  private readonly scratch = new Scratch();
  private batch: MessageBatch | undefined;

  constructor(key: KeyText | undefined, hash: KeyTaker, env: Env) {
    this.hash = hash;
    const paths: JsonPath[] = [];
    this.templates = key === undefined ? undefined : parseKey(key, env).map((one) => partsOf(one, paths));
    this.origin = typeof key === "string" ? Origin.text : Origin.list;
    this.found = paths.length > 0 ? compileBatchFields(paths) : undefined;
    this.only = onlyField(this.templates, this.origin);
  }

  /** The batch that `read` reads from. */
  begin(batch: MessageBatch): void {
    this.batch = batch;
    this.found?.begin(batch);
  }

  /** Hashes the key of one message. False when it lacks a value of the template: the hash is that of its id. */
  read(index: number): boolean {
    const { found, scratch } = this;
    const batch = this.batch!;
    if (!this.templates) {
      this.hashId(batch, index);
      return true;
    }
    let bytes: Uint8Array | undefined;
    if (found && found.root(index) !== FieldKind.absent) {
      found.at(index);
      bytes = found.bytes;
      if (this.only >= 0 && this.hashField(bytes, this.only)) return true;
    }
    scratch.reset();
    if (this.templates.every((parts) => this.add(parts, bytes, batch, index))) {
      this.hash.hash(scratch.bytes, 0, scratch.length, this.origin);
      return true;
    }
    this.hashId(batch, index);
    return false;
  }

  /** The usual case: the key is one field, whose bytes need not be copied. */
  private hashField(bytes: Uint8Array, field: number): boolean {
    const { kinds, starts, ends, base } = this.found!;
    const kind = kinds[base + field]!;
    if (kind === FieldKind.absent || kind === FieldKind.null) return false;
    let start = starts[base + field]!;
    let end = ends[base + field]!;
    if (kind === FieldKind.string) {
      start++;
      end--;
      for (let at = start; at < end; at++) if (bytes[at] === BACKSLASH) return false;
    }
    this.hash.hash(bytes, start, end, this.origin);
    return true;
  }

  /** Adds one template's value; in a list with its length before it, so that no two lists look the same. */
  private add(parts: readonly Part[], bytes: Uint8Array | undefined, batch: MessageBatch, index: number): boolean {
    const { scratch, origin } = this;
    const isListed = origin === Origin.list;
    const before = scratch.length;
    if (isListed) {
      scratch.room(4);
      scratch.length += 4;
    }
    for (const part of parts) if (!this.addPart(part, bytes, batch, index)) return false;
    if (isListed) scratch.bytes.writeUInt32LE(scratch.length - before - 4, before);
    return true;
  }

  private addPart(part: Part, bytes: Uint8Array | undefined, batch: MessageBatch, index: number): boolean {
    const { scratch } = this;
    if (part.from === "literal") {
      scratch.add(part.bytes, 0, part.bytes.length);
      return true;
    }
    const before = scratch.length;
    if (part.from === "payload") {
      if (!bytes || !this.addField(bytes, part.fields)) return false;
    } else if (part.from === "metadata") {
      const value = batch.metadata(index).get(part.key);
      if (value === undefined) return false;
      scratch.text(value);
    } else if (part.from === "id") {
      this.addId(batch, index);
    } else {
      const payload = batch.payload(index);
      scratch.add(payload, 0, payload.length);
    }
    if (part.base64) {
      const text = scratch.bytes.toString("base64", before, scratch.length);
      scratch.length = before;
      scratch.text(text);
    }
    return true;
  }

  private addField(bytes: Uint8Array, fields: readonly number[]): boolean {
    const { kinds, starts, ends, base } = this.found!;
    const there = (field: number): boolean => {
      const kind = kinds[base + field];
      return kind !== FieldKind.absent && kind !== FieldKind.null;
    };
    const field = fields.find(there);
    if (field === undefined) return false;
    const start = starts[base + field]!;
    const end = ends[base + field]!;
    if (kinds[base + field] !== FieldKind.string) this.scratch.add(bytes, start, end);
    else if (asBuffer(bytes).subarray(start, end).includes(BACKSLASH)) this.scratch.text(readString(bytes, start, end));
    else this.scratch.add(bytes, start + 1, end - 1);
    return true;
  }

  private hashId(batch: MessageBatch, index: number): void {
    const { scratch } = this;
    scratch.reset();
    this.addId(batch, index);
    this.hash.hash(scratch.bytes, 0, scratch.length, Origin.id);
  }

  private addId(batch: MessageBatch, index: number): void {
    const { scratch } = this;
    if (!batch.writeId) {
      scratch.text(batch.id(index));
      return;
    }
    scratch.room(ID_LENGTH);
    batch.writeId(index, scratch.bytes, scratch.length);
    scratch.length += ID_LENGTH;
  }
}

function partsOf(segments: readonly Segment[], paths: JsonPath[]): readonly Part[] {
  return segments.map((segment): Part => {
    if (typeof segment === "string") return { from: "literal", bytes: Buffer.from(segment) };
    const { source, filter } = segment;
    const base64 = filter === "base64";
    if (source.from === "payload") {
      const meant = pathsOf(source.path);
      const fields = meant.map((_, i) => paths.length + i);
      paths.push(...meant);
      return { from: "payload", fields, base64 };
    }
    if (source.from === "metadata") return { from: "metadata", key: source.key, base64 };
    return { from: source.from === "id" ? "id" : "body", base64 };
  });
}

/** A step of digits is a key of an object or a position in an array, whatever is there. */
function pathsOf(steps: readonly string[]): JsonPath[] {
  let paths: JsonPath[] = [[]];
  for (const [depth, step] of steps.entries()) {
    const position = /^\d{1,9}$/.test(step) && depth < MOST_POSITIONS;
    paths = paths.flatMap((path) =>
      position
        ? [
            [...path, step],
            [...path, Number(step)],
          ]
        : [[...path, step]],
    );
  }
  return paths;
}

const MOST_POSITIONS = 6;

/** The field that is the whole key, or -1. */
function onlyField(templates: readonly (readonly Part[])[] | undefined, origin: number): number {
  const [part, more] = templates?.[0] ?? [];
  if (origin !== Origin.text || !part || more || part.from !== "payload") return -1;
  return part.base64 || part.fields.length > 1 ? -1 : part.fields[0]!;
}
