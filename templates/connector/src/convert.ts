import { asBuffer, idFromText, Message } from "@mqb/core/plugin";
import { pigeonholeErrors } from "./errors.ts";

/** A message as a file: one line of JSON with id and metadata, then the payload as it is. */
export function toFile(message: Message): Uint8Array {
  const head = JSON.stringify({ id: message.id, metadata: [...message.metadata] });
  return Buffer.concat([Buffer.from(`${head}\n`), message.payload]);
}

/** The message of a file. Throws `BAD_FILE`, which names the file, for anything that `toFile` did not make. */
export function fromFile(name: string, bytes: Uint8Array): Message {
  const end = bytes.indexOf(0x0a);
  const { id, metadata } = readHead(name, asBuffer(bytes).toString("utf8", 0, Math.max(end, 0)));
  return new Message(bytes.subarray(end + 1), new Map(metadata), idFromText(id));
}

interface Head {
  readonly id: string;
  readonly metadata: readonly (readonly [string, string])[];
}

function readHead(file: string, line: string): Head {
  let head: unknown;
  try {
    head = JSON.parse(line);
  } catch (cause) {
    throw pigeonholeErrors.BAD_FILE({ file }, { cause });
  }
  if (isHead(head)) return head;
  throw pigeonholeErrors.BAD_FILE({ file });
}

function isHead(value: unknown): value is Head {
  const { id, metadata } = (value ?? {}) as { id?: unknown; metadata?: unknown };
  return typeof id === "string" && Array.isArray(metadata) && metadata.every(isPair);
}

function isPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");
}
