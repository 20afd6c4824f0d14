import { isUtf8 } from "node:buffer";
import { idFromBigInt, idFromText, type MessageId, type Metadata, NO_METADATA } from "@mqb/core/plugin";
import { PAYLOAD_BYTES, SOURCE_PREFIX } from "../format.ts";
import { hasLoneSurrogate, parseString, rewriteJson } from "../json/compact.ts";
import { isJson, skipSpace, skipString, skipValue } from "../json/scan.ts";

export type EnvelopeFormat = "normal" | "json" | "text";

export interface ParsedEnvelope {
  readonly id: MessageId;
  readonly payload: Buffer;
  readonly metadata: Metadata;
}

/** Why a record is no envelope. */
export type Foreign = "not_json" | "not_envelope";

interface Members {
  message_id?: Buffer;
  payload?: Buffer;
  payload_base64?: Buffer;
  metadata?: Buffer;
}

/** Reads one record by the lenient rules: any member order, any spelling that the original takes. */
export function parseEnvelope(record: Buffer, format: EnvelopeFormat): ParsedEnvelope | Foreign {
  if (!isUtf8(record) || !isJson(record, 0, record.length)) return "not_json";
  const members = splitMembers(record);
  if (members?.message_id === undefined) return "not_envelope";
  const id = readId(members.message_id);
  const metadata = members.metadata === undefined ? new Map<string, string>() : readMetadata(members.metadata);
  if (id === undefined || metadata === undefined) return "not_envelope";
  const payload = readPayload(members, format, metadata);
  if (payload === undefined) return "not_envelope";
  return { id, payload, metadata: metadata.size > 0 ? metadata : NO_METADATA };
}

/** The values of the members that matter; undefined when the record is no object, or has one of them twice. */
function splitMembers(record: Buffer): Members | undefined {
  const end = record.length;
  let at = skipSpace(record, 0, end);
  if (record[at] !== 123) return undefined;
  const members: Members = Object.create(null);
  at = skipSpace(record, at + 1, end);
  while (record[at] === 34) {
    const keyEnd = skipString(record, at, end);
    const key = JSON.parse(record.toString("utf8", at, keyEnd)) as string;
    const from = skipSpace(record, skipSpace(record, keyEnd, end) + 1, end);
    const to = skipValue(record, from, end);
    if (key === "message_id" || key === "payload" || key === "payload_base64" || key === "metadata") {
      if (members[key] !== undefined) return undefined;
      members[key] = record.subarray(from, to);
    }
    at = skipSpace(record, to, end);
    if (record[at] === 44) at = skipSpace(record, at + 1, end);
  }
  return members;
}

function readId(json: Buffer): MessageId | undefined {
  if (json[0] === 34) {
    const text = parseString(json.toString());
    return text === undefined ? undefined : idFromText(text);
  }
  if (json[0] === 123) {
    const id = JSON.parse(json.toString()) as { $oid?: unknown };
    const oid = id.$oid;
    return typeof oid === "string" && /^[0-9a-f]{24}$/i.test(oid) ? idFromBigInt(BigInt(`0x${oid}`)) : undefined;
  }
  const text = json.toString("latin1");
  if (!/^\d{1,20}$/.test(text)) return undefined;
  const number = BigInt(text);
  return number < 1n << 64n ? idFromBigInt(number) : undefined;
}

/** String values only; source positions of a foreign source are dropped. */
export function readMetadata(json: Buffer): Map<string, string> | undefined {
  if (json[0] !== 123) return undefined;
  const pairs = new Map<string, string>();
  // JSON.parse would lose a repeated key silently and order integers first; Map keeps what stands there.
  const end = json.length;
  let at = skipSpace(json, 1, end);
  while (json[at] === 34) {
    const keyEnd = skipString(json, at, end);
    const from = skipSpace(json, skipSpace(json, keyEnd, end) + 1, end);
    if (json[from] !== 34) return undefined;
    const to = skipString(json, from, end);
    const key = parseString(json.toString("utf8", at, keyEnd));
    const value = parseString(json.toString("utf8", from, to));
    if (key === undefined || value === undefined) return undefined;
    if (!key.startsWith(SOURCE_PREFIX)) pairs.set(key, value);
    at = skipSpace(json, to, end);
    if (json[at] === 44) at = skipSpace(json, at + 1, end);
  }
  return pairs;
}

function readPayload(members: Members, format: EnvelopeFormat, metadata: Map<string, string>): Buffer | undefined {
  const { payload, payload_base64: base64 } = members;
  if ((payload === undefined) === (base64 === undefined)) return undefined;
  if (base64 !== undefined) return base64[0] === 34 ? decodeBase64(JSON.parse(base64.toString()) as string) : undefined;
  const json = payload!;
  const marked = metadata.get(PAYLOAD_BYTES) === "1";
  if (json[0] === 91 && (marked || format !== "json")) {
    const bytes = byteArray(json);
    if (bytes !== undefined) {
      if (marked) metadata.delete(PAYLOAD_BYTES);
      return bytes;
    }
  }
  if (format === "json") return Buffer.from(json);
  if (json[0] === 34) {
    const text = JSON.parse(json.toString()) as string;
    return hasLoneSurrogate(text) ? undefined : Buffer.from(text);
  }
  const text = rewriteJson(json);
  return text === undefined ? undefined : Buffer.from(text);
}

function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** The bytes of a JSON array of whole numbers of 0 to 255; undefined for any other array. */
function byteArray(json: Buffer): Buffer | undefined {
  const text = json.toString("latin1");
  if (!/^\[(?:[\s\d,])*\]$/.test(text)) return undefined;
  const numbers = JSON.parse(text) as number[];
  return numbers.every((number) => number <= 255) ? Buffer.from(numbers) : undefined;
}
