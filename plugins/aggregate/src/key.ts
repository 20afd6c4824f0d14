import { createHash } from "node:crypto";
import type { Clock } from "@mqb/core/plugin";
import { parsePath } from "@mqb/json";
import { parseTemplate, type Segment, Template } from "@mqb/standard";
import { errors } from "./errors.ts";
import type { Paths } from "./paths.ts";
import type { Reading } from "./reading.ts";

/** Selects the state of a message; undefined = a value that it is made of is missing, null among them. */
export type Key = (reading: Reading) => string | undefined;

const READS = ["payload", "metadata", "id", "body"];

/** Compiles the key of an entry. Throws `config` errors for a malformed template or path. */
export function compileKey(written: string | readonly string[], paths: Paths, clock: Clock): Key {
  if (typeof written !== "string") return listKey(written, paths);
  const segments = parseTemplate(written, process.env);
  if (!segments.some((segment) => typeof segment !== "string" && READS.includes(segment.source.from))) {
    throw errors.KEY({ key: written });
  }
  if (segments.some((segment) => typeof segment !== "string" && !isSimple(segment))) {
    const template = new Template(written, { clock, env: process.env, counter: { next: 0 } });
    return (reading) => template.resolve(reading.batch, reading.index);
  }
  const parts = segments.map((segment) => partOf(segment, paths));
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  return (reading) => {
    let key = "";
    for (const part of parts) {
      const text = part(reading);
      if (text === undefined) return undefined;
      key += text;
    }
    return key;
  };
}

/** Of several values JSON is made, so that no two lists of values have the same key. */
function listKey(written: readonly string[], paths: Paths): Key {
  const slots = written.map((path) => paths.slot(parsePath(path)));
  return (reading) => {
    let key = "[";
    for (let i = 0; i < slots.length; i++) {
      const text = reading.keyJson(slots[i]!);
      if (text === undefined) return undefined;
      key += i === 0 ? text : `,${text}`;
    }
    return `${key}]`;
  };
}

function isSimple({ source, filter }: Exclude<Segment, string>): boolean {
  if (filter === "base64") return false;
  if (source.from === "metadata" || source.from === "id") return true;
  // A step of digits may be a key of an object or a position of a list.
  return source.from === "payload" && source.path.length > 0 && !source.path.some((step) => /^\d+$/.test(step));
}

function partOf(segment: Segment, paths: Paths): Key {
  if (typeof segment === "string") return () => segment;
  const { source } = segment;
  if (source.from === "payload") {
    const slot = paths.slot(source.path);
    return (reading) => reading.keyText(slot);
  }
  if (source.from === "metadata") return ({ batch, index }) => batch.metadata(index).get(source.key);
  return ({ batch, index }) => batch.id(index);
}

/** The most that every state store takes. */
const LONGEST = 255;

/** The key that says who writes the states of an entry. No field has an empty name, so it is no state's. */
export function leaseKey(prefix: string, into: string): string {
  return storedKey(prefix, "", `writer:${into}`);
}

/** The key that a state is stored under. One that is too long for a store is replaced by its hash. */
export function storedKey(prefix: string, into: string, key: string): string {
  const stored = `${prefix}${into}:${key}`;
  if (stored.length <= LONGEST) return stored;
  return `${prefix}${createHash("sha256").update(`${into}:${key}`).digest("base64url")}`;
}
