import { isMap } from "@mqb/core/plugin";
import { errors } from "../../errors.ts";
import { type FileEntry, formatEntry, parseEntry } from "./entry.ts";

export type Entries = ReadonlyMap<string, FileEntry>;

/**
 * Holds, as a text like all others, the revisions of texts that were written again unchanged: their version does not
 * follow from the value alone. Most files have none.
 */
const REVISIONS = "mqb:revisions";

/** Reads the text of a state file. Throws a `config` error for anything that neither mqb nor mq-bridge writes. */
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
  if (!isMap(document)) throw refuse("it holds no JSON object");
  const revisions = parseRevisions(document[REVISIONS]);
  if (!revisions) throw refuse(`the value of "${REVISIONS}" is not the one that mqb writes`);
  const entries = new Map<string, FileEntry>();
  for (const [stored, value] of Object.entries(document)) {
    if (stored === REVISIONS) continue;
    const key = fromStored(stored);
    const entry = parseEntry(value, revisions.get(key));
    if (!entry) throw refuse(`the value of "${key}" is neither a text nor an entry of mqb`);
    entries.set(key, entry);
  }
  return entries;
}

/** The text of a state file: one object, indented by two spaces. */
export function formatDocument(entries: Entries): string {
  const lines = Array.from(entries, ([key, entry]) => line(toStored(key), formatEntry(entry)));
  const revised = [...entries].flatMap(([key, { revision }]) => (revision === undefined ? [] : [[key, revision]]));
  if (revised.length > 0) lines.push(line(REVISIONS, JSON.stringify(JSON.stringify(revised))));
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n}`;
}

function line(key: string, json: string): string {
  return `  ${JSON.stringify(key)}: ${json}`;
}

function parseRevisions(stored: unknown): Map<string, number> | undefined {
  if (stored === undefined) return new Map();
  try {
    const pairs = JSON.parse(String(stored)) as [string, number][];
    const sound = pairs.every(([key, revision]) => typeof key === "string" && Number.isSafeInteger(revision));
    return sound ? new Map(pairs) : undefined;
  } catch {
    return undefined;
  }
}

/** A key that begins like the reserved one is stored with that in front, so that any key can be used. */
function toStored(key: string): string {
  return key.startsWith(REVISIONS) ? `${REVISIONS}/${key}` : key;
}

function fromStored(stored: string): string {
  return stored.startsWith(`${REVISIONS}/`) ? stored.slice(REVISIONS.length + 1) : stored;
}
