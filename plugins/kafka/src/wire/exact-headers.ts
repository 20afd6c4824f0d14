import type { Metadata } from "@mqb/core/plugin";
import { EXACT_HEADERS, isReserved, isUnlisted, TOMBSTONE } from "./names.ts";

/** A header as the protocol has it: its value is bytes, or null. */
export type Header = readonly [name: string, value: Buffer | string | null];

/** A name alone stands for an entry of the metadata; the other form keeps what an entry cannot hold. */
type Entry = string | readonly [name: string, value: string | null | { readonly b64: string }];

/** More headers than these, or more text, are not kept: an entry of the metadata may become a header of HTTP, and cost more than its record. */
export const MOST_HEADERS = 1000;
const MOST_TEXT = 8 * 1024;
/** What another system has carried may have been written anew. */
const MOST_READ = 8 * MOST_TEXT;

/** What one entry of the metadata shows of a header: text, with a sign of its own in place of bytes that are none. */
export function shownText(value: Buffer | null): string {
  return value === null ? "" : value.toString();
}

/**
 * Headers of a record of which metadata keep too little: bytes that are no UTF-8, no value at all, one name more than once. JSON
 * that `exactHeaders` reads, in the order of the record; undefined where metadata hold all of it, and where it is more than
 * 1,000 headers or 8 KiB: then headers are what metadata show of them.
 */
export function keptHeaders(headers: readonly (readonly [name: string, value: Buffer | null])[]): string | undefined {
  if (headers.length > MOST_HEADERS) return undefined;
  const times = new Map<string, number>();
  for (const [name] of headers) times.set(name, (times.get(name) ?? 0) + 1);
  const entries = headers
    .filter(([name]) => !isUnlisted(name))
    .map(([name, value]): Entry => {
      if (value === null) return [name, null];
      const text = value.toString();
      if (!value.equals(Buffer.from(text))) return [name, { b64: value.toString("base64") }];
      return times.get(name) === 1 ? name : [name, text];
    });
  if (entries.every((entry) => typeof entry === "string")) return undefined;
  const kept = JSON.stringify(entries);
  return kept.length > MOST_TEXT ? undefined : kept;
}

/**
 * The headers that `metadata` stand for where some of them were kept by `keptHeaders`. An entry that was changed or removed
 * since then counts as it is now; one that is new comes behind the others. Undefined where nothing was kept, or
 * nothing that can be read: anybody may have written it.
 */
export function exactHeaders(metadata: Metadata): readonly Header[] | undefined {
  const kept = metadata.get(EXACT_HEADERS);
  const entries = kept === undefined || kept.length > MOST_READ ? undefined : parse(kept);
  if (!entries) return undefined;
  const shown = new Map<string, string>();
  for (const entry of entries) {
    if (typeof entry !== "string") shown.set(entry[0], shownText(bytesOf(entry[1])));
  }
  const headers: Header[] = [];
  const done = new Set<string>([EXACT_HEADERS, TOMBSTONE]);
  for (const entry of entries) {
    const name = typeof entry === "string" ? entry : entry[0];
    const now = metadata.get(name);
    if (now === undefined || done.has(name) || isUnlisted(name)) continue;
    if (typeof entry !== "string" && shown.get(name) === now) {
      headers.push([name, bytesOf(entry[1])]);
      continue;
    }
    done.add(name);
    headers.push([name, now]);
  }
  const listed = new Set(headers.map(([name]) => name));
  for (const [name, value] of metadata) {
    if (!listed.has(name) && !done.has(name) && !isReserved(name)) headers.push([name, value]);
  }
  return headers;
}

function bytesOf(value: string | null | { readonly b64: string }): Buffer | null {
  if (value === null) return null;
  return typeof value === "string" ? Buffer.from(value) : Buffer.from(value.b64, "base64");
}

function parse(text: string): readonly Entry[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every(isEntry) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(it: unknown): it is Entry {
  if (typeof it === "string") return true;
  if (!Array.isArray(it) || it.length !== 2 || typeof it[0] !== "string") return false;
  const value: unknown = it[1];
  if (value === null || typeof value === "string") return true;
  return typeof value === "object" && "b64" in value && typeof value.b64 === "string";
}
