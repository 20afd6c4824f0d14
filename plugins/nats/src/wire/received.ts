import {
  freshId,
  idFromBigInt,
  idFromText,
  type MessageBatch,
  type MessageId,
  type Metadata,
  NO_METADATA,
  slabBatch,
} from "@mqb/core/plugin";
import { type Origin, originIn } from "./ack-subject.ts";
import { dedupHeader, idHeader, NO_BLOCK, readHeaders, writeIdHeader } from "./headers.ts";

const HEX_ID = /^[0-9a-f]{32}$/i;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface Reading {
  /** From a stream: the id may be the place in it, and the reply subject belongs to the server. */
  readonly streamed: boolean;
  /** Stamp each message with where it was read. */
  readonly stamps: boolean;
}

/** Numbers that are kept of each message: places in the bytes, in the order of `Frame`. */
export const WIDTH = 7;
export const SUBJECT = 0;
export const SUBJECT_END = 1;
/** Both 0 where there is no reply subject. */
export const REPLY = 2;
export const REPLY_END = 3;
export const HEAD = 4;
export const PAYLOAD = 5;
export const END = 6;

/** Some messages as they were received, in one piece of memory. */
export class Received {
  readonly length: number;
  readonly bytes: Buffer;
  private readonly places: Uint32Array;

  constructor(bytes: Buffer, places: Uint32Array) {
    this.bytes = bytes;
    this.places = places;
    this.length = places.length / WIDTH;
  }

  subject(index: number): string {
    return this.text(index, SUBJECT, SUBJECT_END);
  }

  /** "" when there is none. */
  reply(index: number): string {
    return this.text(index, REPLY, REPLY_END);
  }

  replyStart(index: number): number {
    return this.at(index, REPLY);
  }

  replyEnd(index: number): number {
    return this.at(index, REPLY_END);
  }

  /** Of a message of a stream: what its reply subject tells. */
  origin(index: number): Origin | undefined {
    return originIn(this.bytes, this.at(index, REPLY), this.at(index, REPLY_END));
  }

  /** The header block; empty when it has none. */
  block(index: number): Buffer {
    const [head, payload] = [this.at(index, HEAD), this.at(index, PAYLOAD)];
    return payload > head ? this.bytes.subarray(head, payload) : NO_BLOCK;
  }

  /** Ids and metadata are read when somebody asks. */
  batch(reading: Reading): MessageBatch {
    const starts = new Uint32Array(this.length);
    const ends = new Uint32Array(this.length);
    for (let i = 0; i < starts.length; i++) {
      starts[i] = this.at(i, PAYLOAD);
      ends[i] = this.at(i, END);
    }
    return slabBatch(
      { bytes: this.bytes, starts, ends },
      {
        id: (index) => idOf(this, index, reading),
        writeId: (index, into, at) =>
          writeIdHeader(this.bytes, this.at(index, HEAD), this.at(index, PAYLOAD), into, at),
        metadata: (index) => metadataOf(this, index, reading),
      },
    );
  }

  private at(index: number, part: number): number {
    return this.places[index * WIDTH + part]!;
  }

  private text(index: number, from: number, to: number): string {
    return this.bytes.toString("utf8", this.at(index, from), this.at(index, to));
  }
}

/** As the original: 32 hexadecimal digits in our header; else the place in the stream, or a UUID for deduplication. */
function idOf(received: Received, index: number, { streamed }: Reading): MessageId {
  const block = received.block(index);
  if (block.length > 0) {
    const own = idHeader(block);
    if (own !== undefined && HEX_ID.test(own)) return idFromText(own);
    const dedup = streamed ? undefined : dedupHeader(block);
    if (dedup !== undefined && UUID.test(dedup)) return idFromText(dedup);
  }
  const origin = streamed ? received.origin(index) : undefined;
  return origin ? idFromBigInt(BigInt(origin.sequence)) : freshId();
}

function metadataOf(received: Received, index: number, { streamed, stamps }: Reading): Metadata {
  const reply = streamed ? "" : received.reply(index);
  const block = received.block(index);
  if (block.length === 0 && reply === "" && !stamps) return NO_METADATA;
  const metadata = readHeaders(block);
  if (reply !== "" && !metadata.has("reply_to")) metadata.set("reply_to", reply);
  if (stamps) {
    metadata.set("mqb.src.nats_subject", received.subject(index));
    const origin = streamed ? received.origin(index) : undefined;
    if (origin) metadata.set("mqb.src.nats_stream_sequence", `${origin.sequence}`);
  }
  return metadata;
}
