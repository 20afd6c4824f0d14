import type { MqbError } from "@mqb/core/plugin";
import { FieldKind, formatPath, type JsonPath } from "@mqb/json";
import { errors } from "./errors.ts";
import type { FoundFields } from "./fields.ts";
import type { Output } from "./output.ts";

/** One step on the way to an answer, or its end. */
interface Place {
  readonly path: JsonPath;
  /** Its key as JSON, with the colon. */
  readonly key: Buffer;
  /** Which lookup's answer goes here; -1 = none, it is on the way. */
  readonly lookup: number;
  readonly inside: readonly Place[];
  /** Which of the fields that are looked for it is. */
  readonly field: number;
}

const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;
const OPEN_OBJECT = 0x7b;

/** Where the answers of some lookups go in payloads; nothing of a payload changes but these places. */
export class Places {
  /** The fields to look for: the first ones of those that a batch is asked for. */
  readonly paths: readonly JsonPath[];
  private readonly root: Place;
  private readonly all: readonly Place[];

  /** None of the paths is another one, or inside of it. */
  constructor(paths: readonly JsonPath[]) {
    const all: Place[] = [];
    this.root = placeAt([], paths, all);
    this.all = all;
    this.paths = all.map(({ path }) => path);
  }

  of(found: FoundFields): FoundPlaces {
    return new FoundPlaces(found, this.root, this.all);
  }
}

/** The places in the payloads of one batch. */
export class FoundPlaces {
  private readonly found: FoundFields;
  private readonly root: Place;
  private readonly all: readonly Place[];
  private readonly kinds: Uint8Array;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  /** While one payload is written. */
  private bytes: Uint8Array = EMPTY;
  private base = 0;
  private copied = 0;
  private values: readonly (Uint8Array | undefined)[] = [];

  constructor(found: FoundFields, root: Place, all: readonly Place[]) {
    this.found = found;
    this.root = root;
    this.all = all;
    this.kinds = found.kinds;
    this.starts = found.starts;
    this.ends = found.ends;
  }

  /** Why a payload has no room for the answers: everything on the way is an object, or not there yet. */
  fault(index: number): MqbError | undefined {
    const base = index * this.found.width;
    for (let i = 0; i < this.all.length; i++) {
      const { path, lookup } = this.all[i]!;
      const kind = this.kinds[base + i]!;
      if (kind === FieldKind.object || lookup >= 0 || (kind === FieldKind.absent && path.length > 0)) continue;
      const into = formatPath(firstEnd(this.all[i]!).path);
      return kind === FieldKind.absent ? errors.NOT_JSON({ into }) : errors.NO_PLACE({ into, at: formatPath(path) });
    }
    return undefined;
  }

  /** Writes a payload that has room, with these answers: by lookup, `undefined` = nothing is written there. */
  write(index: number, values: readonly (Uint8Array | undefined)[], out: Output): void {
    const { found } = this;
    this.bytes = found.bytesOf(index);
    this.base = index * found.width;
    this.copied = found.startOf(index);
    this.values = values;
    this.object(this.root, out);
    out.copy(this.bytes, this.copied, found.endOf(index, this.bytes));
  }

  /** Of an object that is there. */
  private object(place: Place, out: Output): void {
    const { inside } = place;
    let missing = false;
    let last = -1;
    // In the order in which they stand in the payload.
    for (let n = 0; n < inside.length; n++) {
      const next = this.nextInside(inside, last);
      if (!next) break;
      last = this.starts[this.base + next.field]!;
      if (next.lookup < 0) this.object(next, out);
      else this.replace(next, out);
    }
    for (const one of inside) if (this.isMissing(one) && this.hasValue(one)) missing = true;
    if (missing) this.add(place, out);
  }

  private nextInside(inside: readonly Place[], behind: number): Place | undefined {
    let next: Place | undefined;
    let nearest = Number.POSITIVE_INFINITY;
    for (const one of inside) {
      if (this.isMissing(one)) continue;
      const start = this.starts[this.base + one.field]!;
      if (start <= behind || start >= nearest) continue;
      next = one;
      nearest = start;
    }
    return next;
  }

  private replace({ field, lookup }: Place, out: Output): void {
    const value = this.values[lookup];
    if (!value) return;
    out.copy(this.bytes, this.copied, this.starts[this.base + field]!);
    out.put(value);
    this.copied = this.ends[this.base + field]!;
  }

  /** Adds what is missing behind the last member of an object. */
  private add(place: Place, out: Output): void {
    const { bytes } = this;
    let end = this.ends[this.base + place.field]! - 1;
    while (isBlank(bytes[end - 1]!)) end--;
    out.copy(bytes, this.copied, end);
    this.copied = end;
    let first = bytes[end - 1] === OPEN_OBJECT && end - 1 === this.starts[this.base + place.field];
    for (const one of place.inside) {
      if (!this.isMissing(one) || !this.hasValue(one)) continue;
      if (!first) out.byte(COMMA);
      first = false;
      this.fresh(one, out);
    }
  }

  /** A member that was not there. */
  private fresh({ key, lookup, inside }: Place, out: Output): void {
    out.put(key);
    if (lookup >= 0) {
      out.put(this.values[lookup]!);
      return;
    }
    let before = OPEN_OBJECT;
    for (const one of inside) {
      if (!this.hasValue(one)) continue;
      out.byte(before);
      before = COMMA;
      this.fresh(one, out);
    }
    out.byte(CLOSE_OBJECT);
  }

  private isMissing({ field }: Place): boolean {
    return this.kinds[this.base + field] === FieldKind.absent;
  }

  private hasValue({ lookup, inside }: Place): boolean {
    return lookup >= 0 ? this.values[lookup] !== undefined : inside.some((one) => this.hasValue(one));
  }
}

const EMPTY = new Uint8Array(0);

function isBlank(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

function firstEnd(place: Place): Place {
  return place.lookup >= 0 ? place : firstEnd(place.inside[0]!);
}

/** The place at a path and those inside of it, which are added to `all`: what holds others before these. */
function placeAt(path: JsonPath, paths: readonly JsonPath[], all: Place[]): Place {
  const depth = path.length;
  const own = paths.findIndex((one) => one.length === depth && startsWith(one, path));
  const keys = new Set(paths.filter((one) => one.length > depth && startsWith(one, path)).map((one) => one[depth]!));
  const inside: Place[] = [];
  const key = Buffer.from(depth === 0 ? "" : `${JSON.stringify(path[depth - 1])}:`);
  const place: Place = { path, key, lookup: own, inside, field: all.length };
  all.push(place);
  for (const step of keys) inside.push(placeAt([...path, step], paths, all));
  return place;
}

function startsWith(path: JsonPath, beginning: JsonPath): boolean {
  return beginning.every((step, i) => path[i] === step);
}
