import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  type YAMLMap,
} from "yaml";
import type { DeferredText } from "./deferred.ts";
import { locationAt, type Path, type Place, type SourceText } from "./place.ts";
import type { DocumentProblem } from "./problem.ts";
import { substitute } from "./substitute.ts";

export interface ConvertOptions {
  /** The value of a variable. */
  readonly lookup: (name: string) => string | undefined;
  /** The text had its references taken out before it was parsed. */
  readonly deferred?: DeferredText;
}

export interface Converted {
  readonly value: unknown;
  readonly place: Place;
  readonly problems: readonly DocumentProblem[];
}

/** Aliases may make this many values in all; more is an attack or an accident. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;

/** Makes plain values of a parsed document (or one node of it), with variables put in and the place of each value. */
export function convert(
  document: Document.Parsed,
  source: SourceText,
  options: ConvertOptions,
  node?: Node,
): Converted {
  const conversion = new Conversion(document, source, options);
  const { value, place } = conversion.node(node ?? document.contents, 0, [], []);
  return { value, place, problems: conversion.problems };
}

interface Placed {
  readonly value: unknown;
  readonly place: Place;
}

class Conversion {
  readonly problems: DocumentProblem[] = [];
  private readonly document: Document.Parsed;
  private readonly source: SourceText;
  private readonly options: ConvertOptions;
  /** Each alias is looked up once: a lookup walks the document. */
  private readonly targets = new Map<Alias, Node | undefined>();
  private values = 0;
  private gaveUp = false;

  constructor(document: Document.Parsed, source: SourceText, options: ConvertOptions) {
    this.document = document;
    this.source = source;
    this.options = options;
  }

  /** `around` is the offset for a value that is not written; `open` are the nodes that this one is inside of. */
  node(node: unknown, around: number, path: Path, open: readonly unknown[]): Placed {
    const offset = this.origin(node, around);
    const leaf = (value: unknown): Placed => ({
      value,
      place: { source: this.source, value: offset, children: new Map() },
    });
    this.values += 1;
    if (this.values > MAX_VALUES || open.length > MAX_DEPTH) {
      if (!this.gaveUp) {
        const what =
          open.length > MAX_DEPTH
            ? `values are nested more than ${MAX_DEPTH} deep`
            : `there are more than ${MAX_VALUES} values`;
        this.report("MQB_CONFIG_TOO_MUCH", offset, path, what, "anchors and aliases count each time they are used");
      }
      this.gaveUp = true;
      return leaf(null);
    }
    if (isAlias(node)) {
      const target = this.target(node);
      if (target === undefined) {
        this.report("MQB_CONFIG_SYNTAX", offset, path, `no anchor &${node.source} before this alias`);
        return leaf(null);
      }
      if (open.includes(target)) {
        this.report("MQB_CONFIG_TOO_MUCH", offset, path, `the alias *${node.source} stands inside its own anchor`);
        return leaf(null);
      }
      return this.node(target, offset, path, open);
    }
    if (isMap(node)) return this.map(node, offset, path, [...open, node]);
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.node(item, offset, [...path, index], [...open, node]));
      const children = new Map<string | number, Place>(items.map((item, index) => [index, item.place]));
      return { value: items.map((item) => item.value), place: { source: this.source, value: offset, children } };
    }
    if (isScalar(node)) return leaf(this.scalar(node, offset, path));
    return leaf(null);
  }

  private target(alias: Alias): Node | undefined {
    if (!this.targets.has(alias)) this.targets.set(alias, alias.resolve(this.document));
    return this.targets.get(alias);
  }

  private map(map: YAMLMap, offset: number, path: Path, open: readonly unknown[]): Placed {
    const value: Record<string, unknown> = {};
    const children = new Map<string | number, Place>();
    const merged: Placed[] = [];
    for (const pair of map.items as unknown[]) {
      if (!isPair(pair)) continue;
      const keyOffset = this.origin(pair.key, offset);
      if (isMergeKey(pair)) {
        merged.push(...this.merged(pair, keyOffset, path, open));
        continue;
      }
      const key = this.key(pair.key, keyOffset, path);
      if (key === undefined) continue;
      if (Object.hasOwn(value, key)) {
        this.report(
          "MQB_CONFIG_DUPLICATE_KEY",
          keyOffset,
          [...path, key],
          `the key "${key}" is written twice in one map`,
        );
        continue;
      }
      const item = this.node(pair.value, keyOffset, [...path, key], open);
      value[key] = item.value;
      children.set(key, { ...item.place, key: keyOffset });
    }
    for (const one of merged) {
      for (const [key, item] of Object.entries(one.value as Record<string, unknown>)) {
        if (Object.hasOwn(value, key)) continue;
        value[key] = item;
        children.set(key, one.place.children.get(key)!);
      }
    }
    return { value, place: { source: this.source, value: offset, children } };
  }

  /** The maps that `<<` brings in; an earlier one wins, and what is written in the map itself wins over all. */
  private merged(pair: Pair, offset: number, path: Path, open: readonly unknown[]): Placed[] {
    const nodes = isSeq(pair.value) ? pair.value.items : [pair.value];
    const maps: Placed[] = [];
    for (const node of nodes) {
      const placed = this.node(node, offset, [...path, "<<"], open);
      if (typeof placed.value === "object" && placed.value !== null && !Array.isArray(placed.value)) maps.push(placed);
      else this.report("MQB_CONFIG_TYPE", offset, [...path, "<<"], "<< takes a map, or a list of maps");
    }
    return maps;
  }

  private key(node: unknown, offset: number, path: Path): string | undefined {
    if (node === null) return "null";
    if (!isScalar(node)) {
      this.report("MQB_CONFIG_TYPE", offset, path, "a key must be a plain value, not a list or a map");
      return undefined;
    }
    const written = typeof node.value === "string" ? node.value : (node.source ?? String(node.value));
    const key = this.substituted(written, offset, path) || (node.value === null ? "null" : written);
    if (key !== "__proto__") return key;
    this.report("MQB_CONFIG_TYPE", offset, path, "a key cannot be called __proto__");
    return undefined;
  }

  private scalar(node: Scalar, offset: number, path: Path): unknown {
    if (typeof node.value === "bigint") return Number(node.value);
    if (typeof node.value !== "string") return isPlainValue(node.value) ? node.value : (node.source ?? null);
    const text = this.substituted(node.value, offset, path);
    // What a plain scalar means is decided by its text, as if the value had been written there: `${N:-4}` is a number.
    return text !== node.value && node.type === Scalar.PLAIN ? this.resolvePlain(text) : text;
  }

  private substituted(text: string, offset: number, path: Path): string {
    const { deferred, lookup } = this.options;
    if (!text.includes("$") && !deferred) return text;
    const { text: result, unknown } = substitute(text, lookup);
    for (const name of unknown) {
      this.problems.push({
        level: "warning",
        code: "MQB_CONFIG_VARIABLE",
        path,
        message: `the variable ${name} is not set; \${${name}} stays as written`,
        at: locationAt(this.source, offset),
      });
    }
    return deferred?.restore(result) ?? result;
  }

  private resolvePlain(text: string): unknown {
    for (const tag of this.document.schema.tags) {
      if ("test" in tag && tag.default === true && tag.test?.test(text) && typeof tag.resolve === "function") {
        const value = (tag.resolve as (text: string, onError: () => void, options: object) => unknown)(
          text,
          () => {},
          {},
        );
        return isScalar(value) ? value.value : value;
      }
    }
    return text;
  }

  private origin(node: unknown, around: number): number {
    const range = (node as Node | null | undefined)?.range;
    return range ? (this.options.deferred?.origin(range[0]) ?? range[0]) : around;
  }

  private report(code: string, offset: number, path: Path, message: string, hint?: string): void {
    const at = locationAt(this.source, offset);
    this.problems.push({ level: "error", code, path, message, at, ...(hint === undefined ? {} : { hint }) });
  }
}

function isMergeKey(pair: Pair): boolean {
  return (
    isScalar(pair.key) &&
    (pair.key.source === "<<" || pair.key.value === "<<") &&
    pair.key.type !== Scalar.QUOTE_DOUBLE &&
    pair.key.type !== Scalar.QUOTE_SINGLE
  );
}

function isPlainValue(value: unknown): boolean {
  return value === null || typeof value === "number" || typeof value === "boolean";
}
