import { isUtf8 } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { asBuffer } from "@mqb/core/plugin";

/** One entry as the file holds it. */
export interface FileEntry {
  readonly value: Uint8Array;
  readonly version: string;
  readonly expiresAt?: number;
  /** Of a text that was written again unchanged: how often. */
  readonly revision?: number;
}

/** Marks the object form; a plain text is the form that mq-bridge reads and writes. */
const MARK = "mqb_entry";

/** A new entry. The version of a text without expiry follows from it, so that the file need not hold one. */
export function makeEntry(value: Uint8Array, expiresAt: number | undefined): FileEntry {
  const copy = Uint8Array.from(value);
  if (expiresAt === undefined && isUtf8(copy)) return textEntry(copy, undefined);
  const version = randomBytes(12).toString("hex");
  return expiresAt === undefined ? { value: copy, version } : { value: copy, version, expiresAt };
}

/** The entry that takes the place of another one: its version differs also when the value does not. */
export function succeed(next: FileEntry, current: FileEntry | undefined): FileEntry {
  if (!current || !isPlain(next) || !isPlain(current)) return next;
  const same = asBuffer(next.value).equals(current.value);
  return textEntry(next.value, same ? (current.revision ?? 0) + 1 : current.revision);
}

/** The entry that a value of the file's object stands for; undefined when it is none. */
export function parseEntry(stored: unknown, revision: number | undefined): FileEntry | undefined {
  if (typeof stored === "string") return textEntry(Buffer.from(stored), revision);
  if (typeof stored !== "object" || stored === null) return undefined;
  const { [MARK]: mark, version, text, base64, expires_at_ms: expiresAt } = stored as Record<string, unknown>;
  if (mark !== 1 || typeof version !== "string") return undefined;
  if (expiresAt !== undefined && typeof expiresAt !== "number") return undefined;
  const value = typeof text === "string" ? Buffer.from(text) : fromBase64(base64);
  if (!value) return undefined;
  return expiresAt === undefined ? { value, version } : { value, version, expiresAt };
}

/** The JSON of an entry. */
export function formatEntry(entry: FileEntry): string {
  const bytes = asBuffer(entry.value);
  if (isPlain(entry)) return JSON.stringify(bytes.toString("utf8"));
  const { version, expiresAt } = entry;
  const content = isUtf8(bytes) ? { text: bytes.toString("utf8") } : { base64: bytes.toString("base64") };
  const expiry = expiresAt === undefined ? {} : { expires_at_ms: expiresAt };
  return JSON.stringify({ [MARK]: 1, version, ...expiry, ...content }, null, 2).replaceAll("\n", "\n  ");
}

function isPlain({ value, expiresAt }: FileEntry): boolean {
  return expiresAt === undefined && isUtf8(value);
}

function textEntry(value: Uint8Array, revision: number | undefined): FileEntry {
  const hash = createHash("sha256").update(value).digest("base64url").slice(0, 22);
  return revision === undefined ? { value, version: hash } : { value, version: `${hash}.${revision}`, revision };
}

function fromBase64(text: unknown): Buffer | undefined {
  return typeof text === "string" ? Buffer.from(text, "base64") : undefined;
}
