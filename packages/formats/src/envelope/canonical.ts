import type { MessageId, Metadata } from "@mqb/core/plugin";
import { NO_METADATA } from "@mqb/core/plugin";
import { readMetadata } from "./parse.ts";

const HEAD = Buffer.from('{"message_id":"');
const ID_LENGTH = 36;
const PAYLOAD = Buffer.from('","payload":');
const PAYLOAD_BASE64 = Buffer.from('","payload_base64":');
const METADATA = Buffer.from(',"metadata":{');
/** Where the value of `payload` begins in a canonical record. */
export const VALUE_AT = HEAD.length + ID_LENGTH + PAYLOAD.length;
/** Where that of `payload_base64` does. */
export const BASE64_AT = HEAD.length + ID_LENGTH + PAYLOAD_BASE64.length;

const HEX_OR_HYPHEN = new Uint8Array(256);
for (const char of "0123456789abcdef-") HEX_OR_HYPHEN[char.charCodeAt(0)] = 1;

/**
 * Recognises records in the spelling that this package writes, by a walk over a few of their bytes:
 * `{"message_id":"<uuid>","payload":<value>[,"metadata":{"k":"v"}]}`, also with `payload_base64`. Everything else is left to `parseEnvelope`.
 */
export class CanonicalReader {
  /** The end of the payload's value in the record that `look` has recognised. */
  valueEnd = 0;
  private metadata: Metadata = NO_METADATA;
  /** Bytes of the metadata object seen last, and what they say: neighbours mostly have the same. */
  private lastText: Buffer = Buffer.alloc(0);
  private lastMetadata: Metadata = NO_METADATA;

  /** Whether `bytes[start .. end)` is canonical around the payload's value, which is not looked at. */
  look(bytes: Buffer, start: number, end: number): boolean {
    return this.lookAround(bytes, start, end, PAYLOAD);
  }

  /** The same for a record with `payload_base64`. */
  lookBase64(bytes: Buffer, start: number, end: number): boolean {
    return this.lookAround(bytes, start, end, PAYLOAD_BASE64);
  }

  /** The metadata of the record that `look` has recognised. */
  metadataOfLast(): Metadata {
    return this.metadata;
  }

  private lookAround(bytes: Buffer, start: number, end: number, label: Buffer): boolean {
    const value = start + HEAD.length + ID_LENGTH + label.length;
    if (end - value < 2 || bytes[end - 1] !== 125) return false;
    for (let i = 0; i < HEAD.length; i++) if (bytes[start + i] !== HEAD[i]) return false;
    const id = start + HEAD.length;
    for (let i = 0; i < ID_LENGTH; i++) if (HEX_OR_HYPHEN[bytes[id + i]!] === 0) return false;
    for (let i = 0; i < label.length; i++) if (bytes[id + ID_LENGTH + i] !== label[i]) return false;
    if (bytes[end - 2] === 125) return this.lookAtMetadata(bytes, value, end);
    this.valueEnd = end - 1;
    this.metadata = NO_METADATA;
    return true;
  }

  private lookAtMetadata(bytes: Buffer, value: number, end: number): boolean {
    const last = this.lastText;
    const from = end - 1 - last.length;
    if (last.length > 0 && from > value && endsWith(bytes, end - 1, last) && this.isMember(bytes, value, from)) {
      this.metadata = this.lastMetadata;
      return true;
    }
    // The object's own brace, which stands behind `"metadata":`; strings before it hold no unescaped quote.
    for (let at = end - 2; at > value; at--) {
      if (bytes[at] !== 123 || !this.isMember(bytes, value, at)) continue;
      return this.remember(bytes.subarray(at, end - 1));
    }
    return false;
  }

  private isMember(bytes: Buffer, value: number, brace: number): boolean {
    const start = brace + 1 - METADATA.length;
    if (start <= value || !endsWith(bytes, brace + 1, METADATA)) return false;
    this.valueEnd = start;
    return true;
  }

  private remember(object: Buffer): boolean {
    if (!isPlainPairs(object)) return false;
    const metadata = readMetadata(object)!;
    this.lastText = Buffer.from(object);
    this.lastMetadata = metadata.size > 0 ? metadata : NO_METADATA;
    this.metadata = this.lastMetadata;
    return true;
  }
}

/** The id of a canonical record. */
export function canonicalId(bytes: Buffer, start: number): MessageId {
  return bytes.toString("latin1", start + HEAD.length, start + HEAD.length + ID_LENGTH);
}

export function copyId(bytes: Buffer, start: number, into: Uint8Array, at: number): void {
  const id = start + HEAD.length;
  for (let i = 0; i < ID_LENGTH; i++) into[at + i] = bytes[id + i]!;
}

/** Whether an id of hex digits and hyphens is spelled as a UUID. */
export function isUuid(bytes: Buffer, start: number): boolean {
  const id = start + HEAD.length;
  if (bytes[id + 8] !== 45 || bytes[id + 13] !== 45 || bytes[id + 18] !== 45 || bytes[id + 23] !== 45) return false;
  let hyphens = 0;
  for (let i = 0; i < ID_LENGTH; i++) if (bytes[id + i] === 45) hyphens++;
  return hyphens === 4;
}

/** `{"k":"v",...}` of printable ASCII without escapes. */
function isPlainPairs(object: Buffer): boolean {
  let quotes = 0;
  for (let at = 1; at < object.length - 1; at++) {
    const byte = object[at]!;
    if (byte < 32 || byte > 126 || byte === 92) return false;
    if (byte === 34) {
      // Outside of strings exactly `:` and `,` stand, in turn.
      if (quotes > 0 && quotes % 2 === 0) {
        const separator = quotes % 4 === 2 ? 58 : 44;
        if (object[at - 1] !== separator || object[at - 2] !== 34) return false;
      }
      quotes++;
    }
  }
  if (quotes === 0) return object.length === 2;
  return quotes % 4 === 0 && object[1] === 34 && object[object.length - 2] === 34;
}

function endsWith(bytes: Buffer, end: number, suffix: Buffer): boolean {
  const start = end - suffix.length;
  for (let i = suffix.length - 1; i >= 0; i--) if (bytes[start + i] !== suffix[i]) return false;
  return true;
}
