import { idFromBytes, type MessageId, type Metadata, NO_METADATA, type SlabFields } from "@mqb/core/plugin";
import { HAS_IDS, HAS_METADATA, ID_BYTES } from "../pack/layout.ts";

const DIGITS = Buffer.from("0123456789abcdef");
const HYPHEN = 45;

/** Where the records of a batch lie, as a `FrameReader` has found them. */
export interface Records {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  /** Ends of the payloads, behind which the metadata stands. */
  readonly payloadEnds: Uint32Array;
  readonly flags: Uint8Array;
}

/** Ids and metadata of records, read out of the frames when somebody asks; undefined when none of them has any. */
export function fieldsOf(records: Records): SlabFields | undefined {
  let all = 0;
  for (const flags of records.flags) all |= flags;
  if (all === 0) return undefined;
  return {
    ...(all & HAS_IDS ? { id: (index) => idOf(records, index), writeId: (...to) => writeId(records, ...to) } : {}),
    ...(all & HAS_METADATA ? { metadata: (index) => metadataOf(records, index) } : {}),
  };
}

function idOf({ bytes, starts, flags }: Records, index: number): MessageId | undefined {
  if (!(flags[index]! & HAS_IDS)) return undefined;
  const start = starts[index]!;
  return idFromBytes(Uint8Array.from(bytes.subarray(start, start + ID_BYTES)).reverse());
}

function writeId({ bytes, starts, flags }: Records, index: number, into: Uint8Array, at: number): boolean {
  if (!(flags[index]! & HAS_IDS)) return false;
  const start = starts[index]!;
  let to = at;
  for (let i = ID_BYTES - 1; i >= 0; i--) {
    if (i === 11 || i === 9 || i === 7 || i === 5) into[to++] = HYPHEN;
    const byte = bytes[start + i]!;
    into[to++] = DIGITS[byte >> 4]!;
    into[to++] = DIGITS[byte & 15]!;
  }
  return true;
}

/** The frame has been walked over, so that every number fits. */
function metadataOf({ bytes, payloadEnds, flags }: Records, index: number): Metadata {
  if (!(flags[index]! & HAS_METADATA)) return NO_METADATA;
  let at = payloadEnds[index]!;
  const number = (): number => {
    let value = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * unit;
      if (byte < 128) return value;
    }
  };
  const text = (): string => {
    const length = number();
    at += length;
    return bytes.toString("utf8", at - length, at);
  };
  const count = number();
  if (count === 0) return NO_METADATA;
  const metadata = new Map<string, string>();
  for (let i = 0; i < count; i++) {
    const key = text();
    metadata.set(key, text());
  }
  return metadata;
}
