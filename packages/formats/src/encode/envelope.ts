import type { MessageBatch, Metadata } from "@mqb/core/plugin";
import { encodeBase64, escapeJsonStrings, joinRanges } from "@mqb/kernel";
import type { EnvelopeFormat } from "../envelope/parse.ts";
import { PAYLOAD_BYTES } from "../format.ts";
import { areBinary, encodeBinaryEnvelopes } from "./binary-envelopes.ts";
import { guardDelimiter } from "./delimiter-guard.ts";
import type { EncodedBatch, RecordEncoder, Refused } from "./encoder.ts";
import { metadataJson } from "./metadata.ts";
import { HEAD, Output } from "./output.ts";
import { OutputPool } from "./output-pool.ts";
import { type Payloads, payloadsOf } from "./payloads.ts";
import { byteArray, jsonValues, type Special, type Values } from "./values.ts";

const PAYLOAD = Buffer.from('","payload":');
const BASE64 = Buffer.from('","payload_base64":');
/** Bytes of a record before its payload's value, id apart. */
const FIXED = HEAD.length + BASE64.length;
const ID_LENGTH = 36;
/** A record up to its payload's value; the id is filled in later. */
const BEFORE_JSON = Buffer.concat([HEAD, Buffer.alloc(ID_LENGTH), PAYLOAD]);
const BEFORE_TEXT = Buffer.concat([BEFORE_JSON, Buffer.from('"')]);
const BEFORE_BASE64 = Buffer.concat([HEAD, Buffer.alloc(ID_LENGTH), BASE64, Buffer.from('"')]);

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
    const binary = this.encodeBinary(batch, payloads);
    if (binary) return { chunks: [binary], refused };
    const json = this.format === "json" ? jsonValues(payloads, batch.slab?.terminator) : undefined;
    const uniform = this.encodeUniform(batch, json ?? payloads, json);
    if (uniform) return { chunks: [uniform], refused };
    const values = json ?? this.stringValues(payloads);
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
   * The usual batch: all messages have the same metadata and a payload that is text, or JSON in `json`, or binary.
   * Everything but the ids is written in one pass of the kernel. Undefined for other batches.
   */
  private encodeUniform(
    batch: MessageBatch,
    values: Payloads,
    json: Values | undefined,
    binary = false,
  ): Buffer | undefined {
    if (this.guarded || (json && json.special.size > 0)) return undefined;
    const metadata = batch.metadata(0);
    for (let i = 1; i < batch.length; i++) if (batch.metadata(i) !== metadata) return undefined;
    const after = this.tailBehind(metadata, json ? "" : '"');
    if (after === undefined) return undefined;
    const before = json ? BEFORE_JSON : binary ? BEFORE_BASE64 : BEFORE_TEXT;
    const write = json ? joinRanges : binary ? encodeBase64 : escapeJsonStrings;
    const fresh = batch.idBytes?.();
    const ids = fresh && { bytes: fresh, at: HEAD.length };
    const around = { before, after, allocate: this.pool.take, ...(ids ? { ids, positions: false } : {}) };
    const { bytes, starts, refused } = write(values, around);
    if (refused.length > 0) {
      this.pool.release([bytes]);
      return undefined;
    }
    if (ids) return bytes;
    const idBefore = before.length - HEAD.length;
    for (let i = 0; i < batch.length; i++) {
      const at = starts[i]! - idBefore;
      if (batch.writeId) batch.writeId(i, bytes, at);
      else bytes.write(batch.id(i), at, ID_LENGTH, "latin1");
    }
    return bytes;
  }

  /** A batch of payloads that are no text. Undefined for other batches. */
  private encodeBinary(batch: MessageBatch, payloads: Payloads): Buffer | undefined {
    if (this.guarded || this.format !== "normal" || !areBinary(payloads)) return undefined;
    const uniform = this.encodeUniform(batch, payloads, undefined, true);
    if (uniform) return uniform;
    try {
      return encodeBinaryEnvelopes(batch, payloads, this.pool, (index) => this.tail(batch.metadata(index)));
    } catch {
      // The general way says which messages have metadata that cannot be written.
      return undefined;
    }
  }

  /** The tail behind a value's closing quote; undefined when it cannot be written, or is very long. */
  private tailBehind(metadata: Metadata, quote: string): Buffer | undefined {
    try {
      const tail = Buffer.concat([Buffer.from(quote), this.tail(metadata)]);
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
