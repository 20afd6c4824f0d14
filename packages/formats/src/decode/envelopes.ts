import { isUtf8 } from "node:buffer";
import { idFromText, type MessageId, type Metadata, NO_METADATA, type SlabFields, slabBatch } from "@mqb/core/plugin";
import { decodeBase64, type SplitSlab, unescapeJsonStrings } from "@mqb/kernel";
import { BASE64_AT, CanonicalReader, canonicalId, copyId, isUuid, VALUE_AT } from "../envelope/canonical.ts";
import { type EnvelopeFormat, type Foreign, type ParsedEnvelope, parseEnvelope } from "../envelope/parse.ts";
import { isJson, jsonStack } from "../json/scan.ts";
import type { DecodedBatch, DecoderOptions, Stamp } from "./decoder.ts";
import { decoded, LineDecoder, RAW_METADATA } from "./lines.ts";

const NOTHING = Buffer.alloc(0);

/**
 * `normal`, `json`, `text`. Records in our own spelling are recognised by a few bytes and their payloads unescaped all
 * at once; any other record is parsed, and what is no envelope becomes a payload as a whole.
 */
export class EnvelopeDecoder extends LineDecoder {
  private readonly format: EnvelopeFormat;
  private readonly canonical = new CanonicalReader();
  private readonly onForeign: DecoderOptions["onForeign"];
  private readonly reported = new Set<Foreign>();

  constructor(options: DecoderOptions) {
    super(options);
    this.format = options.format as EnvelopeFormat;
    this.onForeign = options.onForeign;
  }

  protected decode(lines: SplitSlab, stamp: Stamp | undefined): DecodedBatch {
    const { bytes, count } = lines;
    const starts = new Uint32Array(count);
    const ends = new Uint32Array(count);
    const metadata = new Array<Metadata>(count);
    const binary: number[] = [];
    const slow =
      this.format === "json"
        ? this.jsonValues(lines, starts, ends, metadata)
        : this.strings(lines, starts, ends, metadata, binary);
    let payloads = bytes;
    if (binary.length > 0 && binary.length / 3 + slow.length === count) payloads = NOTHING;
    else if (this.format !== "json") {
      const texts = unescapeJsonStrings({ bytes, starts, ends, count });
      for (const index of texts.refused) slow.push(index);
      payloads = texts.bytes;
      starts.set(texts.starts);
      ends.set(texts.ends);
    }
    if (binary.length > 0) payloads = decodeBinary(bytes, binary, slow, payloads, starts, ends);
    const parsed = slow.length > 0 ? new Map<number, ParsedEnvelope | undefined>() : undefined;
    if (parsed) payloads = this.parseSlow(lines, slow, parsed, payloads, starts, ends, metadata);
    const shared = sameForAll(metadata);
    const fields = new EnvelopeFields(lines, parsed, shared ? undefined : metadata, stamp);
    return decoded(
      lines,
      slabBatch({ bytes: payloads, starts, ends }, fields, shared === NO_METADATA ? undefined : shared),
    );
  }

  /** Ranges of the payloads' string contents; returns the records that are not canonical. Those in base64 go to `binary`. */
  private strings(
    lines: SplitSlab,
    starts: Uint32Array,
    ends: Uint32Array,
    metadata: Metadata[],
    binary: number[],
  ): number[] {
    const { bytes, count } = lines;
    const slow: number[] = [];
    for (let i = 0; i < count; i++) {
      const start = lines.starts[i]!;
      const value = start + VALUE_AT;
      if (this.canonical.look(bytes, start, lines.ends[i]!)) {
        const end = this.canonical.valueEnd;
        if (end - value >= 2 && bytes[value] === 34 && bytes[end - 1] === 34) {
          starts[i] = value + 1;
          ends[i] = end - 1;
          metadata[i] = this.canonical.metadataOfLast();
          continue;
        }
      }
      // Anywhere within the span, so that the ranges still ascend.
      starts[i] = ends[i] = start;
      if (this.canonical.lookBase64(bytes, start, lines.ends[i]!)) {
        metadata[i] = this.canonical.metadataOfLast();
        binary.push(i, start + BASE64_AT, this.canonical.valueEnd);
        continue;
      }
      metadata[i] = NO_METADATA;
      slow.push(i);
    }
    return slow;
  }

  /** Ranges of the payloads' JSON. */
  private jsonValues(lines: SplitSlab, starts: Uint32Array, ends: Uint32Array, metadata: Metadata[]): number[] {
    const { bytes, count } = lines;
    const slow: number[] = [];
    const stack = jsonStack();
    const wellFormed = count > 0 && isUtf8(bytes.subarray(lines.starts[0], lines.ends[count - 1]));
    for (let i = 0; i < count; i++) {
      const start = lines.starts[i]!;
      const value = start + VALUE_AT;
      metadata[i] = NO_METADATA;
      if (wellFormed && this.canonical.look(bytes, start, lines.ends[i]!)) {
        const end = this.canonical.valueEnd;
        // An array may stand for bytes; the slow path looks for the marker.
        if (bytes[value] !== 91 && isJson(bytes, value, end, stack)) {
          starts[i] = value;
          ends[i] = end;
          metadata[i] = this.canonical.metadataOfLast();
          continue;
        }
      }
      starts[i] = ends[i] = start;
      slow.push(i);
    }
    return slow;
  }

  private parseSlow(
    lines: SplitSlab,
    slow: number[],
    parsed: Map<number, ParsedEnvelope | undefined>,
    payloads: Buffer,
    starts: Uint32Array,
    ends: Uint32Array,
    metadata: Metadata[],
  ): Buffer {
    const pieces = slow.length === lines.count ? [] : [payloads];
    let at = pieces.length === 0 ? 0 : payloads.length;
    for (const index of slow.sort((a, b) => a - b)) {
      const record = lines.bytes.subarray(lines.starts[index]!, lines.ends[index]!);
      const envelope = parseEnvelope(record, this.format);
      const foreign = typeof envelope === "string";
      if (foreign) this.report(envelope, lines.offsetAfter(index));
      const payload = foreign ? record : envelope.payload;
      parsed.set(index, foreign ? undefined : envelope);
      metadata[index] = foreign ? RAW_METADATA : envelope.metadata;
      pieces.push(payload);
      starts[index] = at;
      at += payload.length;
      ends[index] = at;
    }
    return Buffer.concat(pieces, at);
  }

  private report(kind: Foreign, offset: number): void {
    if (this.reported.has(kind)) return;
    this.reported.add(kind);
    this.onForeign?.(kind, offset);
  }
}

/**
 * Appends what is in base64 to the other payloads. `binary` holds for each record its position, and where its value begins
 * and ends with its quotes. What is not in its one spelling goes to `slow`.
 */
function decodeBinary(
  bytes: Buffer,
  binary: readonly number[],
  slow: number[],
  payloads: Buffer,
  starts: Uint32Array,
  ends: Uint32Array,
): Buffer {
  const most = binary.length / 3;
  const places = new Uint32Array(most);
  const from = new Uint32Array(most);
  const to = new Uint32Array(most);
  let count = 0;
  for (let i = 0; i < binary.length; i += 3) {
    const [index, start, end] = [binary[i]!, binary[i + 1]!, binary[i + 2]!];
    if (end - start < 2 || bytes[start] !== 34 || bytes[end - 1] !== 34) slow.push(index);
    else {
      places[count] = index;
      from[count] = start + 1;
      to[count++] = end - 1;
    }
  }
  const found = decodeBase64({ bytes, starts: from.subarray(0, count), ends: to.subarray(0, count), count });
  for (let i = 0; i < count; i++) {
    starts[places[i]!] = payloads.length + found.starts[i]!;
    ends[places[i]!] = payloads.length + found.ends[i]!;
  }
  for (const i of found.refused) slow.push(places[i]!);
  return payloads.length === 0 ? found.bytes : Buffer.concat([payloads, found.bytes]);
}

/** Ids and metadata, worked out of the records when somebody asks. */
class EnvelopeFields implements SlabFields {
  readonly metadata?: (index: number) => Metadata | undefined;
  private readonly lines: SplitSlab;
  private readonly parsed: ReadonlyMap<number, ParsedEnvelope | undefined> | undefined;

  constructor(
    lines: SplitSlab,
    parsed: ReadonlyMap<number, ParsedEnvelope | undefined> | undefined,
    metadata: readonly Metadata[] | undefined,
    stamp: Stamp | undefined,
  ) {
    this.lines = lines;
    this.parsed = parsed;
    if (stamp) {
      this.metadata = (index) => {
        const pairs = new Map(metadata?.[index]);
        stamp(index, lines.offsetAfter(index), pairs);
        return pairs;
      };
    } else if (metadata) this.metadata = (index) => metadata[index];
  }

  id(index: number): MessageId | undefined {
    if (this.parsed?.has(index)) return this.parsed.get(index)?.id;
    const { bytes, starts } = this.lines;
    const start = starts[index]!;
    const text = canonicalId(bytes, start);
    return isUuid(bytes, start) ? text : idFromText(text);
  }

  writeId(index: number, into: Uint8Array, at: number): boolean {
    const { bytes, starts } = this.lines;
    const start = starts[index]!;
    if (this.parsed?.has(index) || !isUuid(bytes, start)) return false;
    copyId(bytes, start, into, at);
    return true;
  }
}

/** The one metadata of all records, if it is one object. */
function sameForAll(metadata: readonly Metadata[]): Metadata | undefined {
  const first = metadata[0];
  for (let i = 1; i < metadata.length; i++) if (metadata[i] !== first) return undefined;
  return first;
}
