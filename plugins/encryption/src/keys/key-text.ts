import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { errors } from "../errors.ts";

export const KEY_BYTES = 32;

const ELSEWHERE = /^\$\{(env|file):([^}]+)\}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The 32 bytes that a key's text stands for: base64, `${env:NAME}` or `${file:path}`. A file may hold the 32 bytes
 * themselves, too. Throws `config` errors that name `field`. Without `baseDir` no file is read: undefined then.
 */
export function readKey(field: string, text: string, baseDir: string | undefined): Buffer | undefined {
  const [, from, name] = ELSEWHERE.exec(text.trim()) ?? [];
  if (from === "env") {
    const value = process.env[name!];
    if (value === undefined || value === "") throw errors.KEY_VARIABLE({ field, variable: name! });
    return decodeKey(field, value);
  }
  if (from === undefined) return decodeKey(field, text);
  if (baseDir === undefined) return undefined;
  let bytes: Buffer;
  try {
    bytes = readFileSync(resolve(baseDir, name!));
  } catch (cause) {
    throw errors.KEY_FILE({ field, file: name! }, { cause });
  }
  return bytes.length === KEY_BYTES ? bytes : decodeKey(field, bytes.toString("latin1"));
}

function decodeKey(field: string, text: string): Buffer {
  const trimmed = text.trim();
  if (trimmed === "" || !BASE64.test(trimmed)) throw errors.KEY_TEXT({ field });
  const bytes = Buffer.from(trimmed, "base64");
  if (bytes.length !== KEY_BYTES) throw errors.KEY_LENGTH({ field, bytes: bytes.length });
  return bytes;
}
