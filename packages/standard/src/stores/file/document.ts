import { isUtf8 } from "node:buffer";
import { createHash, randomBytes } from "node:crypto";
import { asBuffer } from "@mqb/core/plugin";
import { errors } from "../../errors.ts";

/** One entry as the file holds it. */
export interface FileEntry {
  readonly value: Uint8Array;
  readonly version: string;
  readonly expiresAt?: number;
}

export type Entries = ReadonlyMap<string, FileEntry>;

/** Marks the object form; a plain text is the form that mq-bridge reads and writes. */
const MARK = "mqb_entry";

/** A new entry. Text without an expiry gets a version that follows from it, so that the file needs not hold one. */
export function makeEntry(value: Uint8Array, expiresAt: number | undefined): FileEntry {
  const copy = Uint8Array.from(value);
  if (expiresAt === undefined && isUtf8(copy)) return { value: copy, version: textVersion(copy) };
  const version = randomBytes(12).toString("hex");
  return expiresAt === undefined ? { value: copy, version } : { value: copy, version, expiresAt };
}

/** Reads the text of a state file. Throws a `config` error for anything that it did not write. */
export function parseDocument(text: string, path: string): Map<string, FileEntry> {
  const refuse = (reason: string, cause?: unknown) =>
    errors.STORE_CORRUPT({ path, reason }, cause === undefined ? {} : { cause });
  if (text.trim() === "") throw refuse("it is empty");
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (cause) {
    throw refuse("it holds no valid JSON", cause);
  }
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw refuse("it holds no JSON object");
  const entries = new Map<string, FileEntry>();
  for (const [key, stored] of Object.entries(document)) {
    const entry = parseEntry(stored);
    if (!entry) throw refuse(`the value of "${key}" is neither a text nor an entry of mqb`);
    entries.set(key, entry);
  }
  return entries;
}

/** The text of a state file: one object, indented by two spaces. */
export function formatDocument(entries: Entries): string {
  const lines = Array.from(entries, ([key, entry]) => `  ${JSON.stringify(key)}: ${formatEntry(entry)}`);
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n}`;
}

function parseEntry(stored: unknown): FileEntry | undefined {
  if (typeof stored === "string") {
    const value = Buffer.from(stored);
    return { value, version: textVersion(value) };
  }
  if (typeof stored !== "object" || stored === null) return undefined;
  const { [MARK]: mark, version, text, base64, expires_at_ms: expiresAt } = stored as Record<string, unknown>;
  if (mark !== 1 || typeof version !== "string") return undefined;
  if (expiresAt !== undefined && typeof expiresAt !== "number") return undefined;
  const value =
    typeof text === "string"
      ? Buffer.from(text)
      : typeof base64 === "string"
        ? Buffer.from(base64, "base64")
        : undefined;
  if (!value) return undefined;
  return expiresAt === undefined ? { value, version } : { value, version, expiresAt };
}

function formatEntry({ value, version, expiresAt }: FileEntry): string {
  const bytes = asBuffer(value);
  const isText = isUtf8(bytes);
  if (isText && expiresAt === undefined) return JSON.stringify(bytes.toString("utf8"));
  const content = isText ? { text: bytes.toString("utf8") } : { base64: bytes.toString("base64") };
  const expiry = expiresAt === undefined ? {} : { expires_at_ms: expiresAt };
  return JSON.stringify({ [MARK]: 1, version, ...expiry, ...content }, null, 2).replaceAll("\n", "\n  ");
}

function textVersion(value: Uint8Array): string {
  return createHash("sha256").update(value).digest("base64url").slice(0, 22);
}
