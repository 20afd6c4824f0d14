import { readString } from "@mqb/json";
import { MAX_JSON_DEPTH, scanJsonString, scanJsonValue, skipJsonBlank } from "@mqb/kernel";

const COMMA = 0x2c;

/** The well-made object `bytes[start .. end)` with each key once: at its first place, with its last value. */
export function withoutRepeats(bytes: Uint8Array, start: number, end: number): Buffer {
  const stack = new Uint8Array(MAX_JSON_DEPTH);
  const members = new Map<string, { readonly label: Uint8Array; readonly value: Uint8Array }>();
  for (let at = skipJsonBlank(bytes, start + 1, end); at < end - 1; ) {
    const close = scanJsonString(bytes, at + 1, end);
    const key = readString(bytes, at, close + 1);
    const value = skipJsonBlank(bytes, skipJsonBlank(bytes, close + 1, end) + 1, end);
    const behind = scanJsonValue(bytes, value, end, stack);
    const label = members.get(key)?.label ?? bytes.subarray(at, close + 1);
    members.set(key, { label, value: bytes.subarray(value, behind) });
    at = skipJsonBlank(bytes, behind, end);
    if (bytes[at] === COMMA) at = skipJsonBlank(bytes, at + 1, end);
  }
  const parts: Uint8Array[] = [];
  for (const { label, value } of members.values()) {
    parts.push(Buffer.from(parts.length === 0 ? "{" : ","), label, Buffer.from(":"), value);
  }
  return Buffer.concat([...parts, Buffer.from("}")]);
}
