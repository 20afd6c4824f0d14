import { isMap } from "@mqb/core/plugin";
import { wholeNumber } from "../exact.ts";
import type { DeferredText } from "./deferred.ts";
import type { TextMap, TextNode, TextPair } from "./nodes.ts";
import {
  type FilledPart,
  type FilledText,
  type IndexedText,
  locationAt,
  NO_CHILDREN,
  type Path,
  type Place,
} from "./place.ts";
import type { DocumentProblem } from "./problem.ts";
import { substitute, withoutDefaults } from "./substitute.ts";

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
  /** Names of all variables that the text refers to. */
  readonly variables: ReadonlySet<string>;
  /** There were more values than are looked at: places are not complete. */
  readonly gaveUp: boolean;
}

/** Aliases may make this many values in all; more is an attack or an accident. */
const MAX_VALUES = 100_000;
const MAX_DEPTH = 100;
const WHOLE = /^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+)$/;

/**
 * Makes plain values of a parsed document (or one node of it), with variables put in and the place of each value. A text
 * that variables were put into stays a text, and its place says so: its field decides what it means.
 */
export function convert(root: TextNode | undefined, source: IndexedText, options: ConvertOptions): Converted {
  const conversion = new Conversion(source, options);
  const { value, place: written } = conversion.node(root, 0, [], []);
  const { discarded } = conversion;
  const place = discarded.length === 0 ? written : { ...written, discarded };
  return { value, place, problems: conversion.problems, variables: conversion.variables, gaveUp: conversion.gaveUp };
}

interface Placed {
  readonly value: unknown;
  readonly place: Place;
}

class Conversion {
  readonly problems: DocumentProblem[] = [];
  readonly variables = new Set<string>();
  private readonly source: IndexedText;
  private readonly options: ConvertOptions;
  private values = 0;
  readonly discarded: Place[] = [];
  gaveUp = false;

  constructor(source: IndexedText, options: ConvertOptions) {
    this.source = source;
    this.options = options;
  }

  /** `around` is the offset for a value that is not written; `open` are the nodes that this one is inside of. */
  node(node: TextNode | undefined, around: number, path: Path, open: readonly TextNode[]): Placed {
    const offset = node?.start === undefined ? around : this.origin(node.start);
    const end = node?.end === undefined ? undefined : this.origin(node.end);
    const leaf = (value: unknown): Placed => ({ value, place: this.place(offset, end, NO_CHILDREN) });
    this.values += 1;
    if (this.gaveUp || this.values > MAX_VALUES || open.length > MAX_DEPTH) {
      this.giveUp(offset, path, open.length > MAX_DEPTH);
      return leaf(null);
    }
    if (node?.kind === "alias") {
      const { target } = node;
      if (target === undefined) {
        // Without its name, which may be a secret that begins with *.
        const hint = "an anchor stands before its aliases; put a value that begins with * in quotes";
        this.report("MQB_CONFIG_SYNTAX", offset, path, "no anchor of this name before the alias", hint);
        return leaf(null);
      }
      if (open.includes(target)) {
        this.report("MQB_CONFIG_TOO_MUCH", offset, path, "an alias stands inside its own anchor");
        return leaf(null);
      }
      return this.node(target, offset, path, open);
    }
    if (node?.kind === "map") {
      const { value, children } = this.map(node, offset, path, [...open, node]);
      return { value, place: this.place(offset, end, children) };
    }
    if (node?.kind === "list") {
      const items: Placed[] = [];
      for (const item of node.items) {
        if (this.gaveUp) break;
        items.push(this.node(item, offset, [...path, items.length], [...open, node]));
      }
      const children = new Map<string | number, Place>(items.map((item, index) => [index, item.place]));
      return { value: items.map((item) => item.value), place: this.place(offset, end, children) };
    }
    if (!node) return leaf(null);
    if (typeof node.value === "number") return leaf(exactNumber(node.value, node.text));
    if (typeof node.value !== "string") return leaf(isPlainValue(node.value) ? node.value : node.text);
    const { text, used, written } = this.substituted(node.value, offset, path);
    if (used.length === 0) return leaf(text);
    const variables = [...new Set(used.map(({ name }) => name))];
    const filled = {
      plain: node.isPlain,
      variables,
      whole: text,
      written: withoutDefaults(written),
      parts: used,
    };
    return { value: text, place: { ...this.place(offset, end, NO_CHILDREN), filled } };
  }

  private place(value: number, end: number | undefined, children: Place["children"]): Place {
    const { source } = this;
    return end === undefined ? { source, value, children } : { source, value, end, children };
  }

  private giveUp(offset: number, path: Path, tooDeep: boolean): void {
    if (this.gaveUp) return;
    this.gaveUp = true;
    const what = tooDeep ? `values are nested more than ${MAX_DEPTH} deep` : `there are more than ${MAX_VALUES} values`;
    this.report("MQB_CONFIG_TOO_MUCH", offset, path, what, "anchors and aliases count each time they are used");
  }

  private map(
    { pairs }: TextMap,
    offset: number,
    path: Path,
    open: readonly TextNode[],
  ): { value: Record<string, unknown>; children: Map<string | number, Place> } {
    const value: Record<string, unknown> = {};
    const children = new Map<string | number, Place>();
    const merged: Placed[] = [];
    for (const pair of pairs) {
      if (this.gaveUp) break;
      const keyOffset = pair.key?.start === undefined ? offset : this.origin(pair.key.start);
      if (isMergeKey(pair)) {
        merged.push(...this.merged(pair, keyOffset, path, open));
        continue;
      }
      const found = this.key(pair.key, keyOffset, path);
      const key = found?.key;
      const item = this.node(pair.value, keyOffset, key === undefined ? path : [...path, key], open);
      if (found === undefined || key === undefined) {
        this.discarded.push(item.place);
        continue;
      }
      if (Object.hasOwn(value, key)) {
        const { line } = locationAt(this.source, children.get(key)!.key!);
        const isRoute = isRouteAt(path, item.value);
        const shown = found.filled?.written ?? key;
        const message = isRoute
          ? `the route "${shown}" is written twice, first on line ${line}`
          : `the key "${shown}" is written twice in one map, first on line ${line}`;
        const hint = `${isRoute ? "rename" : "remove"} one of them`;
        this.discarded.push(item.place);
        this.report("MQB_CONFIG_DUPLICATE_KEY", keyOffset, [...path, shown], message, hint);
        continue;
      }
      value[key] = item.value;
      const { filled } = found;
      children.set(key, { ...item.place, key: keyOffset, ...(filled ? { filledKey: filled } : {}) });
    }
    for (const one of merged) {
      for (const [key, item] of Object.entries(one.value as Record<string, unknown>)) {
        if (Object.hasOwn(value, key)) {
          this.discarded.push(one.place.children.get(key)!);
          continue;
        }
        value[key] = item;
        children.set(key, one.place.children.get(key)!);
      }
    }
    return { value, children };
  }

  /** The maps that `<<` brings in; an earlier one wins, and what is written in the map itself wins over all. */
  private merged({ value }: TextPair, offset: number, path: Path, open: readonly TextNode[]): Placed[] {
    const nodes = value?.kind === "list" ? value.items : [value];
    const maps: Placed[] = [];
    for (const node of nodes) {
      if (this.gaveUp) break;
      const placed = this.node(node, offset, [...path, "<<"], open);
      if (typeof placed.value === "object" && placed.value !== null && !Array.isArray(placed.value)) maps.push(placed);
      else if (!this.gaveUp) {
        this.discarded.push(placed.place);
        this.report("MQB_CONFIG_TYPE", offset, [...path, "<<"], "<< takes a map, or a list of maps");
      }
    }
    return maps;
  }

  private key(
    node: TextNode | undefined,
    offset: number,
    path: Path,
  ): { readonly key: string; readonly filled?: FilledText } | undefined {
    if (!node) return { key: "null" };
    if (node.kind !== "scalar") {
      this.report("MQB_CONFIG_TYPE", offset, path, "a key must be a plain value, not a list or a map");
      return undefined;
    }
    const { text, used, written } = this.substituted(node.text, offset, path);
    const key = text || (node.value === null ? "null" : node.text);
    if (key !== "__proto__")
      return used.length === 0
        ? { key }
        : { key, filled: { whole: key, written: withoutDefaults(written), parts: used } };
    this.report("MQB_CONFIG_TYPE", offset, path, "a key cannot be called __proto__");
    return undefined;
  }

  private substituted(
    text: string,
    offset: number,
    path: Path,
  ): { text: string; used: readonly FilledPart[]; written: string } {
    const { deferred, lookup } = this.options;
    const written = deferred?.restore(text) ?? text;
    if (!written.includes("$")) return { text: written, used: [], written };
    const { text: result, used, unknown } = substitute(written, lookup);
    for (const { name } of used) this.variables.add(name);
    for (const name of unknown) {
      this.variables.add(name);
      this.problems.push({
        level: "warning",
        code: "MQB_CONFIG_VARIABLE",
        path,
        message: `the variable ${name} is not set, so \${${name}} is used literally`,
        hint: `set it, or give a default: \${${name}:-…}`,
        at: locationAt(this.source, offset),
      });
    }
    return { text: result, used, written };
  }

  private origin(offset: number): number {
    return this.options.deferred?.origin(offset) ?? offset;
  }

  private report(code: string, offset: number, path: Path, message: string, hint?: string): void {
    const at = locationAt(this.source, offset);
    this.problems.push({ level: "error", code, path, message, at, ...(hint === undefined ? {} : { hint }) });
  }
}

/** A map with an input or an output at the top level or under `routes`. */
function isRouteAt(path: Path, value: unknown): boolean {
  const isThere = path.length === 0 || path.at(-1) === "routes" || (path.length === 1 && path[0] === "config");
  return isThere && isMap(value) && (Object.hasOwn(value, "input") || Object.hasOwn(value, "output"));
}

function isMergeKey({ key }: TextPair): boolean {
  return key?.kind === "scalar" && key.text === "<<" && !key.isQuoted;
}

function isPlainValue(value: unknown): boolean {
  return value === null || typeof value === "boolean";
}

/** A whole number keeps every digit: an order number that was rounded is another order's. */
function exactNumber(value: number, written: string): number | bigint {
  if (Number.isSafeInteger(value) || !WHOLE.test(written)) return value;
  return wholeNumber(written);
}
