import { isUtf8 } from "node:buffer";
import type { MessageBatch, Metadata } from "@mqb/core/plugin";
import { escapeJsonStrings } from "@mqb/kernel";
import type { EnvelopeFormat } from "../envelope/parse.ts";
import { PAYLOAD_BYTES } from "../format.ts";
import { compactJson } from "../json/compact.ts";
import { jsonStack, skipSpace, skipValue } from "../json/scan.ts";
import { guardDelimiter } from "./delimiter-guard.ts";
import type { EncodedBatch, RecordEncoder, Refused } from "./encoder.ts";
import { metadataJson } from "./metadata.ts";
import { OutputPool } from "./output-pool.ts";
import { type Payloads, payloadsOf } from "./payloads.ts";

const HEAD = Buffer.from('{"message_id":"');
const PAYLOAD = Buffer.from('","payload":');
const BASE64 = Buffer.from('","payload_base64":');
/** Bytes of a record before its payload's value, id apart. */
const FIXED = HEAD.length + BASE64.length;
const ID_LENGTH = 36;
/** A record up to its payload's text; the id is filled in later. */
const BEFORE_TEXT = Buffer.concat([HEAD, Buffer.alloc(ID_LENGTH), PAYLOAD, Buffer.from('"')]);
const ID_BEFORE_TEXT = ID_LENGTH + PAYLOAD.length + 1;

/** Where the value of a message's payload stands, and how it is to be labelled. */
interface Values {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Stand between quotes, which `bytes` does not hold. */
  readonly quoted: boolean;
  /** Values that need another form: binary payloads, payloads with line breaks. */
  readonly special: ReadonlyMap<number, Special>;
}

interface Special {
  readonly value: Buffer;
  readonly base64?: boolean;
  /** Written as an array of byte values, with the marker. */
  readonly marked?: boolean;
}

/**
 * `normal`, `json`, `text`: one JSON object per message. The payloads of a batch are escaped all at once; ids and
 * metadata are written around them.
 */
export class EnvelopeEncoder implements RecordEncoder {
  private readonly format: EnvelopeFormat;
  private readonly delimiter: Buffer;
  private readonly guarded: boolean;
  private readonly pool = new OutputPool();
  private lastMetadata: Metadata | undefined;
  private lastTail: Buffer = Buffer.alloc(0);

  constructor(format: EnvelopeFormat, delimiter: Uint8Array) {
    this.format = format;
    this.delimiter = Buffer.from(delimiter);
    // JSON strings hold no line break, so LF and CR LF need no second look.
    this.guarded = !(delimiter[delimiter.length - 1] === 10 && (delimiter.length === 1 || delimiter[0] === 13));
  }

  encode(batch: MessageBatch): EncodedBatch {
    const count = batch.length;
    const refused: Refused[] = [];
    if (count === 0) return { chunks: [], refused };
    const payloads = payloadsOf(batch);
    const uniform = this.encodeUniform(batch, payloads);
    if (uniform) return { chunks: [uniform], refused };
    const values = this.format === "json" ? jsonValues(payloads) : this.stringValues(payloads);
    const out = new Output(values.bytes.length + count * (FIXED + 128), this.pool);
    for (let i = 0; i < count; i++) {
      const special = values.special.get(i);
      let tail: Buffer;
      try {
        tail = special?.marked ? this.markedTail(batch.metadata(i)) : this.tail(batch.metadata(i));
      } catch (error) {
        refused.push({ index: i, error });
        continue;
      }
      const start = out.at;
      const id = batch.id(i);
      out.reserve(FIXED + 2 + id.length + (special?.value.length ?? values.ends[i]! - values.starts[i]!) + tail.length);
      out.head(id, special?.base64 ? BASE64 : PAYLOAD);
      if (special) out.put(special.value);
      else if (values.quoted) out.quoted(values.bytes, values.starts[i]!, values.ends[i]!);
      else out.copy(values.bytes, values.starts[i]!, values.ends[i]!);
      out.put(tail);
      if (!this.guarded) continue;
      const end = out.at - this.delimiter.length;
      try {
        out.replace(start, guardDelimiter(out.written(start, end), this.delimiter), this.delimiter);
      } catch (error) {
        out.at = start;
        refused.push({ index: i, error });
      }
    }
    return { chunks: out.at === 0 ? [] : [out.all()], refused };
  }

  release(chunks: readonly Buffer[]): void {
    this.pool.release(chunks);
  }

  /**
   * The usual batch: all messages have the same metadata and a payload that is text. Everything but the ids is written
   * in one pass of the kernel. Undefined for other batches.
   */
  private encodeUniform(batch: MessageBatch, payloads: Payloads): Buffer | undefined {
    if (this.format === "json" || this.guarded) return undefined;
    const count = batch.length;
    const metadata = batch.metadata(0);
    for (let i = 1; i < count; i++) if (batch.metadata(i) !== metadata) return undefined;
    const after = this.quotedTail(metadata);
    if (after === undefined) return undefined;
    const { bytes, starts, refused } = escapeJsonStrings(payloads, {
      before: BEFORE_TEXT,
      after,
      allocate: this.pool.take,
    });
    if (refused.length > 0) {
      this.pool.release([bytes]);
      return undefined;
    }
    for (let i = 0; i < count; i++) {
      const at = starts[i]! - ID_BEFORE_TEXT;
      if (batch.writeId) batch.writeId(i, bytes, at);
      else bytes.write(batch.id(i), at, ID_LENGTH, "latin1");
    }
    return bytes;
  }

  /** The tail behind a text's closing quote; undefined when it cannot be written, or is very long. */
  private quotedTail(metadata: Metadata): Buffer | undefined {
    try {
      const tail = Buffer.concat([Buffer.from('"'), this.tail(metadata)]);
      return tail.length <= 32 * 1024 ? tail : undefined;
    } catch {
      // The general way says which messages it is about.
      return undefined;
    }
  }

  /** Texts escaped together; what is not UTF-8 becomes base64, in `text` an array of byte values. */
  private stringValues(payloads: Payloads): Values {
    const texts = escapeJsonStrings(payloads);
    const special = new Map<number, Special>();
    for (const index of texts.refused) {
      const bytes = payloads.bytes.subarray(payloads.starts[index]!, payloads.ends[index]!);
      special.set(
        index,
        this.format === "normal"
          ? { value: Buffer.from(`"${bytes.toString("base64")}"`), base64: true }
          : byteArray(bytes),
      );
    }
    return { ...texts, quoted: true, special };
  }

  /** Everything behind the payload's value, the delimiter included. */
  private tail(metadata: Metadata): Buffer {
    if (metadata !== this.lastMetadata) {
      this.lastTail = this.makeTail(metadataJson(metadata));
      this.lastMetadata = metadata;
    }
    return this.lastTail;
  }

  private markedTail(metadata: Metadata): Buffer {
    return this.makeTail(metadataJson(metadata, [PAYLOAD_BYTES, "1"]));
  }

  private makeTail(json: string | undefined): Buffer {
    const object = json ?? (this.format === "normal" ? undefined : "{}");
    return Buffer.concat([Buffer.from(object === undefined ? "}" : `,"metadata":${object}}`), this.delimiter]);
  }
}

/** JSON payloads as they are; white space goes only around them, and where it would break the line. Others become byte arrays. */
function jsonValues(payloads: Payloads): Values {
  const { bytes, count } = payloads;
  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const special = new Map<number, Special>();
  const stack = jsonStack();
  for (let i = 0; i < count; i++) {
    const limit = payloads.ends[i]!;
    const start = skipSpace(bytes, payloads.starts[i]!, limit);
    const end = skipValue(bytes, start, limit, stack);
    starts[i] = start;
    ends[i] = end;
    if (end < 0 || skipSpace(bytes, end, limit) < limit || !isUtf8(bytes.subarray(start, end))) {
      starts[i] = ends[i] = 0;
      special.set(i, byteArray(bytes.subarray(payloads.starts[i]!, limit)));
    } else if (hasLineBreak(bytes, start, end)) special.set(i, { value: compactJson(bytes.subarray(start, end)) });
  }
  return { bytes, starts, ends, quoted: false, special };
}

/** JSON strings hold none, so it stands between tokens. */
function hasLineBreak(bytes: Buffer, start: number, end: number): boolean {
  const value = bytes.subarray(start, end);
  return value.includes(10) || value.includes(13);
}

function byteArray(bytes: Buffer): Special {
  return { value: Buffer.from(`[${bytes.join(",")}]`), marked: true };
}

/** A buffer that grows. */
class Output {
  at = 0;
  private readonly pool: OutputPool;
  private bytes: Buffer;

  constructor(size: number, pool: OutputPool) {
    this.pool = pool;
    this.bytes = pool.take(size);
  }

  reserve(size: number): void {
    if (this.at + size <= this.bytes.length) return;
    const larger = this.pool.take(Math.max(this.bytes.length * 2, this.at + size));
    this.bytes.copy(larger, 0, 0, this.at);
    this.pool.release([this.bytes]);
    this.bytes = larger;
  }

  head(id: string, label: Buffer): void {
    const { bytes } = this;
    let at = this.at;
    for (let i = 0; i < HEAD.length; i++) bytes[at++] = HEAD[i]!;
    for (let i = 0; i < id.length; i++) bytes[at++] = id.charCodeAt(i);
    for (let i = 0; i < label.length; i++) bytes[at++] = label[i]!;
    this.at = at;
  }

  quoted(from: Buffer, start: number, end: number): void {
    this.bytes[this.at++] = 34;
    this.copy(from, start, end);
    this.bytes[this.at++] = 34;
  }

  copy(from: Buffer, start: number, end: number): void {
    this.at += from.copy(this.bytes, this.at, start, end);
  }

  put(bytes: Buffer): void {
    const out = this.bytes;
    if (bytes.length > 64) this.copy(bytes, 0, bytes.length);
    else for (let i = 0; i < bytes.length; i++) out[this.at++] = bytes[i]!;
  }

  written(start: number, end: number): Buffer {
    return this.bytes.subarray(start, end);
  }

  /** Puts other bytes in the place of everything from `start` on. */
  replace(start: number, bytes: Buffer, delimiter: Buffer): void {
    if (bytes.buffer === this.bytes.buffer && bytes.byteOffset === this.bytes.byteOffset + start) return;
    this.at = start;
    this.reserve(bytes.length + delimiter.length);
    this.put(bytes);
    this.put(delimiter);
  }

  all(): Buffer {
    return this.bytes.subarray(0, this.at);
  }
}
