import type { MessageBatch, MqbError } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, FieldKind, formatPath, type JsonPath } from "@mqb/json";
import { errors } from "./errors.ts";
import type { Output } from "./output.ts";

/** One step on the way to an answer, or its end. */
interface Place {
  readonly path: JsonPath;
  /** Its key as JSON, with the colon. */
  readonly key: Buffer;
  /** Which lookup's answer goes here; -1 = none, it is on the way. */
  readonly lookup: number;
  readonly inside: readonly Place[];
  /** Of the finder. */
  readonly field: number;
}

const COMMA = 0x2c;
const CLOSE_OBJECT = 0x7d;
const OPEN_OBJECT = 0x7b;

/**
 * Where the answers of some lookups go in the payloads of a batch. Looks at each payload once, before anybody is asked,
 * and remembers what it has found; nothing of a payload changes but these places.
 */
export class Places {
  private readonly root: Place;
  private readonly all: readonly Place[];
  private readonly finder: FieldFinder;

  /** None of the paths is another one, or inside of it. */
  constructor(paths: readonly JsonPath[]) {
    const all: Place[] = [];
    this.root = placeAt([], paths, all);
    this.all = all;
    this.finder = compileFields(all.map(({ path }) => path));
  }

  look(batch: MessageBatch): FoundPlaces {
    return new FoundPlaces(batch, this.root, this.all, this.finder);
  }
}

/** The places in the payloads of one batch. */
export class FoundPlaces {
  private readonly batch: MessageBatch;
  private readonly root: Place;
  private readonly all: readonly Place[];
  /** By message and place. */
  private readonly kinds: Uint8Array;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  /** While one payload is written. */
  private bytes: Uint8Array = EMPTY;
  private base = 0;
  private copied = 0;
  private values: readonly (Uint8Array | undefined)[] = [];

  constructor(batch: MessageBatch, root: Place, all: readonly Place[], finder: FieldFinder) {
    this.batch = batch;
    this.root = root;
    this.all = all;
    const width = all.length;
    this.kinds = new Uint8Array(batch.length * width);
    this.starts = new Uint32Array(batch.length * width);
    this.ends = new Uint32Array(batch.length * width);
    const { slab } = batch;
    for (let index = 0; index < batch.length; index++) {
      const bytes = slab ? slab.bytes : batch.payload(index);
      finder.find(bytes, slab ? slab.starts[index]! : 0, slab ? slab.ends[index]! : bytes.length);
      this.kinds.set(finder.kinds, index * width);
      this.starts.set(finder.starts, index * width);
      this.ends.set(finder.ends, index * width);
    }
  }

  /** Why a payload has no room for the answers: everything on the way is an object, or not there yet. */
  fault(index: number): MqbError | undefined {
    const base = index * this.all.length;
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
    const { slab } = this.batch;
    this.bytes = slab ? slab.bytes : this.batch.payload(index);
    this.base = index * this.all.length;
    this.copied = slab ? slab.starts[index]! : 0;
    this.values = values;
    this.object(this.root, out);
    out.copy(this.bytes, this.copied, slab ? slab.ends[index]! : this.bytes.length);
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
