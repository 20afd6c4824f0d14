import type { ByteSink, MessageBatch } from "@mqb/core/plugin";
import {
  type BatchFields,
  compileBatchFields,
  compileFields,
  type FieldEdit,
  FieldKind,
  numberText,
  parsePath,
  spliceFields,
  writeJson,
} from "@mqb/json";
import type { MappingRule } from "./config.ts";
import { errors } from "./errors.ts";
import { type Failure, parseFailure } from "./failure.ts";
import { keySegment } from "./field-path.ts";
import { jsonValueOf } from "./json-value.ts";
import { Output } from "./output.ts";

interface Rule {
  readonly key: string;
  readonly parts: readonly string[];
  /** As written. */
  readonly path: string;
  readonly default: Buffer | undefined;
  readonly required: boolean;
}

/** A field of the new document, with its rule or with the fields inside it, or with both. */
interface Place {
  readonly name: string;
  /** `"name":`, and the same after a brace and after a comma. */
  readonly first: Buffer;
  readonly opening: Buffer;
  readonly next: Buffer;
  rule: number;
  readonly inside: Place[];
}

const OPEN = 0x7b;
const CLOSE = 0x7d;
const NO_RULE = -1;
const KINDS = ["", "null", "boolean", "boolean", "number", "string", "object", "array"];

/** Compiles a mapping. Throws a `config` error for the first rule that cannot be used. */
export function compileMapping(mapping: Readonly<Record<string, MappingRule>>): Mapping {
  return new Mapping(Object.entries(mapping).map(([key, rule]) => compileRule(key, rule)));
}

/** Checks one rule of a mapping. Throws a `config` error. */
export function checkRule(key: string, rule: MappingRule): void {
  compileRule(key, rule);
}

/** Builds documents out of fields of payloads. Values are copied byte for byte; no tree is made. */
export class Mapping {
  failure: Failure | undefined;
  private readonly rules: readonly Rule[];
  private readonly obliged: readonly number[];
  private readonly found: BatchFields;
  private readonly places: readonly Place[];
  /** No field of the new document has fields set inside it. */
  private readonly isFlat: boolean;
  private readonly scratch = new Output(0);

  constructor(rules: readonly (Rule & { readonly steps: ReturnType<typeof parsePath> })[]) {
    this.rules = rules;
    this.found = compileBatchFields(rules.map(({ steps }) => steps));
    this.places = placesOf(rules);
    this.isFlat = this.places.every(({ inside }) => inside.length === 0);
    this.obliged = [...rules.keys()].filter((index) => rules[index]!.required && rules[index]!.default === undefined);
  }

  /** Turns to a batch, before its messages. */
  begin(batch: MessageBatch): void {
    this.found.begin(batch);
  }

  /** Appends the new document of a message. False when it cannot; `failure` says why then. */
  apply(batch: MessageBatch, index: number, out: ByteSink): boolean {
    const { found } = this;
    if (found.root(index) === FieldKind.absent) {
      this.failure = parseFailure(batch.payload(index));
      return false;
    }
    found.at(index);
    for (let i = 0; i < this.obliged.length; i++) {
      const rule = this.obliged[i]!;
      if (found.kinds[found.base + rule] === FieldKind.absent) return this.isMissing(this.rules[rule]!);
    }
    if (this.isFlat) return this.flat(out);
    const { scratch } = this;
    scratch.length = 0;
    if (!this.object(this.places, "$", scratch)) return false;
    out.copy(scratch.bytes, 0, scratch.length);
    return true;
  }

  private flat(out: ByteSink): boolean {
    const { places, found, rules } = this;
    const { bytes, base, kinds, starts, ends } = found;
    let count = 0;
    for (let i = 0; i < places.length; i++) {
      const { rule, opening, next } = places[i]!;
      const at = base + rule;
      const isThere = kinds[at] !== FieldKind.absent;
      const fallback = isThere ? undefined : rules[rule]!.default;
      if (!isThere && !fallback) continue;
      out.constant(count++ === 0 ? opening : next);
      if (fallback) out.constant(fallback);
      else out.copy(bytes, starts[at]!, ends[at]!);
    }
    if (count === 0) out.byte(OPEN);
    out.byte(CLOSE);
    return true;
  }

  private object(places: readonly Place[], path: string, out: Output): boolean {
    out.byte(OPEN);
    let count = 0;
    for (let i = 0; i < places.length; i++) {
      const place = places[i]!;
      if (!this.has(place)) continue;
      out.put(count++ === 0 ? place.first : place.next);
      if (!this.value(place, path, out)) return false;
    }
    out.byte(CLOSE);
    return true;
  }

  private has(place: Place): boolean {
    if (this.hasOwn(place)) return true;
    for (let i = 0; i < place.inside.length; i++) if (this.has(place.inside[i]!)) return true;
    return false;
  }

  private hasOwn({ rule }: Place): boolean {
    if (rule === NO_RULE) return false;
    return this.kind(rule) !== FieldKind.absent || this.rules[rule]!.default !== undefined;
  }

  private value(place: Place, path: string, out: Output): boolean {
    if (!this.hasOwn(place)) return this.object(place.inside, path, out);
    if (place.inside.length === 0 || !place.inside.some((inside) => this.has(inside))) {
      this.own(place.rule, out);
      return true;
    }
    return this.extended(place, `${path}${keySegment(place.name)}`, out);
  }

  private own(rule: number, out: Output): void {
    const { bytes, base, starts, ends } = this.found;
    if (this.kind(rule) === FieldKind.absent) out.put(this.rules[rule]!.default!);
    else out.copy(bytes, starts[base + rule]!, ends[base + rule]!);
  }

  private kind(rule: number): number {
    return this.found.kinds[this.found.base + rule]!;
  }

  /** A field that is copied and has fields set inside it. Rare, so not made to be fast. */
  private extended(place: Place, path: string, out: Output): boolean {
    const mark = out.length;
    this.own(place.rule, out);
    const copied = out.since(mark);
    if (copied[0] !== OPEN) {
      const child = place.inside.find((inside) => this.has(inside))!;
      const text = `cannot set '${child.name}': parent is a ${kindName(copied)}`;
      this.failure = { path: path + keySegment(child.name), reason: "type_mismatch", text };
      return false;
    }
    const edits: FieldEdit[] = [];
    for (const inside of place.inside) {
      if (!this.has(inside)) continue;
      const from = out.length;
      if (!this.value(inside, path, out)) return false;
      edits.push({ path: [inside.name], value: out.since(from) });
    }
    out.length = mark;
    out.put(spliceFields(copied, 0, copied.length, edits));
    return true;
  }

  private isMissing({ path, key }: Rule): false {
    const text = `required source field is missing (mapped to '${key}')`;
    this.failure = { path, reason: "missing_required", text };
    return false;
  }
}

function compileRule(key: string, written: MappingRule): Rule & { readonly steps: ReturnType<typeof parsePath> } {
  const rule = typeof written === "string" ? { path: written } : written;
  const parts = key.split(".");
  if (parts.includes("")) throw errors.MAPPING_KEY({ key });
  const steps = parsePath(rule.path);
  const fallback = "default" in rule && rule.default !== undefined ? writeJson(jsonValueOf(rule.default)) : undefined;
  const required = "required" in rule && rule.required === true;
  return { key, parts, path: rule.path, steps, default: fallback, required };
}

function placesOf(rules: readonly Rule[]): Place[] {
  const roots: Place[] = [];
  for (const [index, { parts }] of rules.entries()) {
    let level = roots;
    let place: Place | undefined;
    for (const name of parts) {
      place = level.find((one) => one.name === name);
      if (!place) level.push((place = newPlace(name)));
      level = place.inside;
    }
    place!.rule = index;
  }
  sortPlaces(roots);
  return roots;
}

/** By the bytes of the names, as the original writes them. */
function sortPlaces(places: Place[]): void {
  places.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  for (const { inside } of places) sortPlaces(inside);
}

function newPlace(name: string): Place {
  const first = Buffer.from(`${JSON.stringify(name)}:`);
  const [opening, next] = [Buffer.from(`{${first}`), Buffer.from(`,${first}`)];
  return { name, first, opening, next, rule: NO_RULE, inside: [] };
}

function kindName(value: Buffer): string {
  const finder = compileFields([[]]);
  finder.find(value, 0, value.length);
  if (finder.root !== FieldKind.number) return KINDS[finder.root]!;
  return /^-?\d+$/.test(numberText(value, 0, value.length)) ? "integer" : "number";
}
