import {
  freshId,
  idFromBigInt,
  idFromText,
  Message,
  type MessageBatch,
  type MessageId,
  type Metadata,
  NO_METADATA,
} from "@mqb/core/plugin";
import type { RawMsg } from "../client/driver.ts";
import { originOf } from "./ack-subject.ts";
import { dedupHeader, idHeader, NO_BLOCK, readHeaders } from "./headers.ts";

const HEX_ID = /^[0-9a-f]{32}$/i;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface Reading {
  /** From a stream: the id may be the place in it, and the reply subject belongs to the server. */
  readonly streamed: boolean;
  /** Stamp each message with where it was read. */
  readonly stamps: boolean;
}

/** Messages as the driver has received them; ids and metadata are read when somebody asks. */
export class NatsBatch implements MessageBatch {
  readonly length: number;
  readonly byteLength: number;
  private readonly received: readonly RawMsg[];
  private readonly reading: Reading;
  private readonly messages: (Message | undefined)[];
  private readonly ids: (MessageId | undefined)[];

  constructor(received: readonly RawMsg[], reading: Reading) {
    this.received = received;
    this.reading = reading;
    this.length = received.length;
    this.messages = new Array<Message | undefined>(received.length);
    this.ids = new Array<MessageId | undefined>(received.length);
    let bytes = 0;
    for (const message of received) bytes += payloadLength(message);
    this.byteLength = bytes;
  }

  at(index: number): Message {
    this.one(index);
    return (this.messages[index] ??= Message.in(this, index));
  }

  payload(index: number): Uint8Array {
    return this.one(index).data;
  }

  id(index: number): MessageId {
    return (this.ids[index] ??= idOf(this.one(index), this.reading.streamed));
  }

  metadata(index: number): Metadata {
    return metadataOf(this.one(index), this.reading);
  }

  select(indices: Uint32Array): MessageBatch {
    return new Selection(this, indices);
  }

  *[Symbol.iterator](): Iterator<Message> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  private one(index: number): RawMsg {
    const message = this.received[index];
    if (!message) throw new RangeError(`there is no message ${index} in a batch of ${this.length}`);
    return message;
  }
}

/** Some messages of a batch, in another order perhaps; the same objects. */
class Selection implements MessageBatch {
  readonly length: number;
  readonly byteLength: number;
  private readonly whole: NatsBatch;
  private readonly indices: Uint32Array;

  constructor(whole: NatsBatch, indices: Uint32Array) {
    this.whole = whole;
    this.indices = indices;
    this.length = indices.length;
    let bytes = 0;
    for (const index of indices) bytes += whole.payload(index).length;
    this.byteLength = bytes;
  }

  at(index: number): Message {
    return this.whole.at(this.place(index));
  }

  payload(index: number): Uint8Array {
    return this.whole.payload(this.place(index));
  }

  id(index: number): MessageId {
    return this.whole.id(this.place(index));
  }

  metadata(index: number): Metadata {
    return this.whole.metadata(this.place(index));
  }

  select(indices: Uint32Array): MessageBatch {
    return new Selection(
      this.whole,
      indices.map((index) => this.place(index)),
    );
  }

  *[Symbol.iterator](): Iterator<Message> {
    for (const index of this.indices) yield this.whole.at(index);
  }

  private place(index: number): number {
    const place = this.indices[index];
    if (place === undefined) throw new RangeError(`there is no message ${index} in a batch of ${this.length}`);
    return place;
  }
}

export function payloadLength({ _msg: { hdr }, _rdata: bytes }: RawMsg): number {
  return hdr > 0 ? bytes.length - hdr : bytes.length;
}

function blockOf({ _msg: { hdr }, _rdata: bytes }: RawMsg): Uint8Array {
  return hdr > 0 ? bytes.subarray(0, hdr) : NO_BLOCK;
}

/** As the original: 32 hexadecimal digits in our header; else the place in the stream, or a UUID for deduplication. */
function idOf(message: RawMsg, streamed: boolean): MessageId {
  if (message._msg.hdr > 0) {
    const block = blockOf(message);
    const own = idHeader(block);
    if (own !== undefined && HEX_ID.test(own)) return idFromText(own);
    const dedup = streamed ? undefined : dedupHeader(block);
    if (dedup !== undefined && UUID.test(dedup)) return idFromText(dedup);
  }
  const origin = streamed ? originOf(message._msg.reply) : undefined;
  return origin ? idFromBigInt(BigInt(origin.sequence)) : freshId();
}

function metadataOf(message: RawMsg, { streamed, stamps }: Reading): Metadata {
  const reply = streamed ? undefined : message.reply;
  if (message._msg.hdr <= 0 && !reply && !stamps) return NO_METADATA;
  const metadata = readHeaders(blockOf(message));
  if (reply && !metadata.has("reply_to")) metadata.set("reply_to", reply);
  if (stamps) {
    metadata.set("mqb.src.nats_subject", message.subject);
    const origin = streamed ? originOf(message._msg.reply) : undefined;
    if (origin) metadata.set("mqb.src.nats_stream_sequence", `${origin.sequence}`);
  }
  return metadata;
}
