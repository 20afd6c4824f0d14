import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { RawMessage } from "./raw-client.ts";

const vectors = new URL("./vectors/", import.meta.url);

/** One call of a client while a recorded route ran; `as` names its result in `expected.json`. */
export interface Operation {
  readonly op: string;
  readonly as?: string;
  readonly stream?: string;
  readonly subject?: string;
  readonly payload?: Value;
  readonly headers?: readonly (readonly [string, string])[];
  readonly reply?: string;
  readonly config?: { readonly name: string };
  readonly file?: string;
  readonly n?: number;
  readonly s_?: number;
  readonly routes?: readonly string[];
  readonly replies?: readonly unknown[];
}

type Value = string | null | { readonly b64: string } | { readonly fill: string; readonly len: number };

export interface Vector {
  readonly id: number;
  readonly routes: readonly string[];
  readonly inputs: readonly string[];
  readonly before: readonly Operation[];
  readonly during: readonly Operation[];
  readonly after: readonly Operation[];
  readonly auto_start: boolean;
  readonly outputs: Readonly<
    Record<string, { readonly compare: string; readonly expected?: string; readonly varies?: string }>
  >;
  readonly observed: { readonly exit_code: number };
}

export function readVector(name: string): Vector {
  return JSON.parse(readText(name, "vector.json")!) as Vector;
}

/** Undefined when the vector has no such file. */
export function readText(name: string, file: string): string | undefined {
  try {
    return readFileSync(new URL(`${name}/${file}`, vectors), "utf8");
  } catch {
    return undefined;
  }
}

export function bytesOf(value: Value | undefined): Buffer {
  if (value == null) return Buffer.alloc(0);
  if (typeof value === "string") return Buffer.from(value);
  return "b64" in value ? Buffer.from(value.b64, "base64") : Buffer.alloc(value.len, value.fill);
}

/** As the recordings write header blocks: the values with the blank that is on the wire, in the order of their names. */
export function shownHeaders(block: Buffer | undefined): unknown {
  if (!block) return null;
  const [line, ...lines] = block.toString("utf8").split("\r\n");
  const pairs = lines.flatMap((one) => {
    const colon = one.indexOf(":");
    return colon < 0 ? [] : [[one.slice(0, colon), one.slice(colon + 1)]];
  });
  return { line, pairs: pairs.sort(([a = ""], [b = ""]) => (a < b ? -1 : a > b ? 1 : 0)) };
}

export function shownPayload(payload: Buffer): unknown {
  if (payload.length <= 4096) return { b64: payload.toString("base64") };
  return { len: payload.length, sha256: createHash("sha256").update(payload).digest("hex") };
}

export function shownMessage({ subject, reply, headers, payload }: RawMessage): unknown {
  return { subject, reply: reply !== undefined, headers: shownHeaders(headers), payload: shownPayload(payload) };
}

const TODAY_V7 = /\b01[0-9a-f]{6}-?[0-9a-f]{4}-?7[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}\b/g;

/** What differs from run to run is written as the recordings write it. Given ids begin with `0190aaaa`. */
export function masked(text: string): string {
  return text
    .replace(TODAY_V7, (id) => (id.startsWith("0190aaaa") ? id : id.includes("-") ? "<UUID7>" : "<HEX-UUID7>"))
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<TIME>")
    .replace(/(\["mq_bridge\.dlq\.error",)"(?:[^"\\]|\\.)*"/g, '$1"<ERROR>"')
    .replace(/(\["mq_bridge\.dlq\.timestamp_ms",)" \d+"/g, '$1" <MS>"');
}

/** Lines of JSON with the keys of their metadata in order. */
export function sortedLines(text: string): string[] {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    if (!line.startsWith("{")) return line;
    const { metadata, ...rest } = JSON.parse(line) as { metadata?: Record<string, string> };
    const sorted = metadata && Object.fromEntries(Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1)));
    return masked(JSON.stringify(sorted ? { ...rest, metadata: sorted } : rest));
  });
}
