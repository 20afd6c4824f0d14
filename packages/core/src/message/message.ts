import { typeName } from "../config/value-type.ts";
import { coreErrors } from "../errors/errors.ts";
import type { MessageBatch } from "./batch.ts";
import { freshId, type MessageId } from "./id.ts";

/** Text attached to a message: header-like pairs, in the order in which they were set. */
export type Metadata = ReadonlyMap<string, string>;

/** No metadata. Shared, so never changed. */
export const NO_METADATA: Metadata = new Map();

/** What `Message.with` changes; what is left out stays. */
export interface MessageChanges {
  readonly payload?: Uint8Array;
  /** Pairs to set; `undefined` removes a key. */
  readonly metadata?: Iterable<readonly [string, string | undefined]> | Readonly<Record<string, string | undefined>>;
  readonly id?: MessageId;
}

/** Where a message that lies in a batch finds its parts when somebody asks for them. */
export type MessageSource = Pick<MessageBatch, "payload" | "id" | "metadata">;

/**
 * One message: an id, payload bytes and metadata. Immutable: `with` makes a changed copy that keeps the id.
 * Its parts are made when they are first asked for: a fresh id (UUIDv7) if it came without one, an empty metadata map.
 */
export class Message {
  private bytes: Uint8Array | undefined;
  private key: MessageId | undefined;
  private pairs: Metadata | undefined;
  private source: MessageSource | undefined;
  private index = 0;

  /** Throws a `permanent` error for a payload that is neither bytes nor a text. */
  constructor(payload: Uint8Array | string, metadata?: Metadata, id?: MessageId) {
    if (typeof payload !== "string" && (payload as Uint8Array | undefined)?.BYTES_PER_ELEMENT !== 1)
      throw coreErrors.NOT_BYTES({ what: typeName(payload) });
    this.bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    this.key = id;
    this.pairs = metadata;
  }

  /** A message that reads its parts from a batch. Called by batches only. */
  static in(source: MessageSource, index: number): Message {
    const message = new Message(EMPTY);
    message.bytes = undefined;
    message.source = source;
    message.index = index;
    return message;
  }

  /** The payload; a view that must not be written to. */
  get payload(): Uint8Array {
    return (this.bytes ??= this.source!.payload(this.index));
  }

  get id(): MessageId {
    return (this.key ??= this.source ? this.source.id(this.index) : freshId());
  }

  get metadata(): Metadata {
    return (this.pairs ??= this.source ? this.source.metadata(this.index) : NO_METADATA);
  }

  /** The payload as text; ill-formed UTF-8 is replaced by U+FFFD. */
  text(): string {
    return asBuffer(this.payload).toString("utf8");
  }

  /** The payload parsed by `JSON.parse`, with its rounding of large numbers. Throws a SyntaxError when it is not JSON. */
  json(): unknown {
    return JSON.parse(this.text());
  }

  /** A changed copy with the same id (unless another is given). */
  with(changes: MessageChanges): Message {
    let metadata = this.metadata;
    if (changes.metadata) {
      const copy = new Map(metadata);
      const pairs = Symbol.iterator in changes.metadata ? changes.metadata : Object.entries(changes.metadata);
      for (const [name, value] of pairs) {
        if (value === undefined) copy.delete(name);
        else copy.set(name, value);
      }
      metadata = copy;
    }
    return new Message(changes.payload ?? this.payload, metadata, changes.id ?? this.id);
  }

  /**
   * A copy that owns its bytes. A message of a slab keeps the whole slab in memory: whoever keeps single messages for
   * longer than their batch (deduplication, joins, queues of failed messages) keeps detached ones.
   */
  detach(): Message {
    return new Message(Buffer.from(this.payload), this.metadata, this.id);
  }
}

const EMPTY = new Uint8Array(0);

/** The same bytes seen as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
