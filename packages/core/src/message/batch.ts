import { FreshIds, type MessageId } from "./id.ts";
import { Message, type MessageSource, type Metadata, NO_METADATA } from "./message.ts";

/** One buffer that holds the payloads of a batch: payload `i` is `bytes[starts[i] .. ends[i])`. */
export interface Slab {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /**
   * When set: these bytes follow each payload directly, and occur in none of them. Where also
   * `starts[i + 1] === ends[i] + terminator.length`, a sink that ends its records in the same bytes writes the whole
   * run with one call.
   */
  readonly terminator?: Uint8Array;
}

/** The id and metadata of the messages of a slab, asked for by position and only when somebody needs them. */
export interface SlabFields {
  /** The id that the message came with; `undefined` = it has none and gets a fresh one. */
  id?(index: number): MessageId | undefined;
  /** Writes the 36 characters of that id as ASCII; false when there is none. For ids that lie somewhere as bytes. */
  writeId?(index: number, into: Uint8Array, at: number): boolean;
  /** Metadata of this one message, without `shared`. */
  metadata?(index: number): Metadata | undefined;
}

/**
 * An ordered group of messages; what travels through a route. Reads as messages, made when first asked for, or on the
 * hot path as bytes. Immutable: what changes messages makes a new batch, what removes some uses `select`.
 */
export interface MessageBatch extends Iterable<Message> {
  readonly length: number;
  /** The message at a position: the same object every time. Throws a RangeError outside of the batch. */
  at(index: number): Message;
  /** The payload at a position: a view, no copy, no message made. */
  payload(index: number): Uint8Array;
  /** The id at a position: the same every time; a fresh one is made when the message came without. */
  id(index: number): MessageId;
  /** Writes the 36 characters of the id as ASCII, without making a text of it. Batches that keep ids as texts have none. */
  writeId?(index: number, into: Uint8Array, at: number): void;
  /** The 16 bytes of each id, one after another, where none of the messages came with one. Not to be written to. */
  idBytes?(): Uint8Array | undefined;
  /** The metadata at a position, `shared` included. */
  metadata(index: number): Metadata;
  /** The payloads as one buffer, when they lie in one. */
  readonly slab?: Slab;
  /** Metadata that every message of the batch has, held once. */
  readonly shared?: Metadata;
  /** Sum of the payload lengths, for limits. */
  readonly byteLength: number;
  /** The messages at these positions, in this order; shares the slab and the message objects. */
  select(indices: Uint32Array): MessageBatch;
}

/** A batch of message objects. `shared` promises metadata that all of them carry already. */
export function batchOf(messages: readonly Message[], shared?: Metadata): MessageBatch {
  return new ListBatch(messages, shared);
}

/** A batch over a slab; `fields` gives ids and metadata when asked, `shared` is added to each message's metadata. */
export function slabBatch(slab: Slab, fields?: SlabFields, shared?: Metadata): MessageBatch {
  return new SlabBatch(slab, fields, shared);
}

/** For `slabBatch`: ids and metadata of messages whose payloads have changed; `kept` are the positions that are left, undefined = all. */
export function fieldsFrom(batch: MessageBatch, kept?: Uint32Array): SlabFields {
  const placeOf = (index: number): number => (kept ? kept[index]! : index);
  const writeId = (index: number, into: Uint8Array, at: number): boolean => {
    batch.writeId!(placeOf(index), into, at);
    return true;
  };
  return {
    id: (index) => batch.id(placeOf(index)),
    metadata(index) {
      const metadata = batch.metadata(placeOf(index));
      return metadata === batch.shared ? undefined : metadata;
    },
    ...(batch.writeId && { writeId }),
  };
}

class ListBatch implements MessageBatch {
  readonly shared?: Metadata;
  private readonly messages: readonly Message[];
  private bytes = -1;

  constructor(messages: readonly Message[], shared: Metadata | undefined) {
    this.messages = messages;
    if (shared) this.shared = shared;
  }

  get length(): number {
    return this.messages.length;
  }

  get byteLength(): number {
    if (this.bytes < 0) this.bytes = this.messages.reduce((sum, message) => sum + message.payload.length, 0);
    return this.bytes;
  }

  at(index: number): Message {
    const message = this.messages[index];
    if (message === undefined) throw outside(index, this.messages.length);
    return message;
  }

  payload(index: number): Uint8Array {
    return this.at(index).payload;
  }

  id(index: number): MessageId {
    return this.at(index).id;
  }

  metadata(index: number): Metadata {
    return this.at(index).metadata;
  }

  select(indices: Uint32Array): MessageBatch {
    const some = new Array<Message>(indices.length);
    for (let i = 0; i < indices.length; i++) some[i] = this.at(indices[i]!);
    return new ListBatch(some, this.shared);
  }

  [Symbol.iterator](): Iterator<Message> {
    return this.messages[Symbol.iterator]();
  }
}

interface SelectedFields extends SlabFields {
  message?(index: number): Message;
}

class SlabBatch implements MessageBatch, MessageSource {
  readonly slab: Slab;
  readonly shared?: Metadata;
  readonly length: number;
  private readonly fields: SelectedFields | undefined;
  private made: (Message | undefined)[] | undefined;
  private ids: (MessageId | undefined)[] | undefined;
  /** Ids of the messages that came without. */
  private fresh: FreshIds | undefined;
  private bytes = -1;

  constructor(slab: Slab, fields: SelectedFields | undefined, shared: Metadata | undefined) {
    if (slab.starts.length !== slab.ends.length) throw new TypeError("a slab has as many starts as ends");
    this.slab = slab;
    this.length = slab.starts.length;
    this.fields = fields;
    if (shared) this.shared = shared;
  }

  get byteLength(): number {
    if (this.bytes < 0) this.bytes = sumLengths(this.slab);
    return this.bytes;
  }

  at(index: number): Message {
    const made = (this.made ??= new Array<Message | undefined>(this.length));
    const message = made[index];
    if (message) return message;
    if (!(index >= 0 && index < this.length)) throw outside(index, this.length);
    return (made[index] = this.fields?.message?.(index) ?? Message.in(this, index));
  }

  payload(index: number): Uint8Array {
    if (!(index >= 0 && index < this.length)) throw outside(index, this.length);
    return this.slab.bytes.subarray(this.slab.starts[index]!, this.slab.ends[index]!);
  }

  id(index: number): MessageId {
    const ids = (this.ids ??= new Array<MessageId | undefined>(this.length));
    return (ids[index] ??= this.fields?.id?.(index) ?? this.freshIds().at(index));
  }

  writeId(index: number, into: Uint8Array, at: number): boolean {
    if (this.fields?.writeId?.(index, into, at)) return true;
    const id = this.ids?.[index] ?? this.fields?.id?.(index);
    if (id === undefined) this.freshIds().write(index, into, at);
    else for (let i = 0; i < id.length; i++) into[at + i] = id.charCodeAt(i);
    return true;
  }

  idBytes(): Uint8Array | undefined {
    return this.fields?.id || this.fields?.writeId ? undefined : this.freshIds().bytes;
  }

  metadata(index: number): Metadata {
    const own = this.fields?.metadata?.(index);
    if (!this.shared) return own ?? NO_METADATA;
    return own && own.size > 0 ? new Map([...this.shared, ...own]) : this.shared;
  }

  /** Messages and ids stay those of this batch. */
  select(indices: Uint32Array): MessageBatch {
    const fields: SelectedFields = {
      message: (index) => this.at(indices[index]!),
      id: (index) => this.id(indices[index]!),
      writeId: (index, into, at) => this.writeId(indices[index]!, into, at),
      metadata: (index) => this.fields?.metadata?.(indices[index]!),
    };
    return new SlabBatch(slabOf(this.slab, indices), fields, this.shared);
  }

  *[Symbol.iterator](): Iterator<Message> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  private freshIds(): FreshIds {
    return (this.fresh ??= new FreshIds(this.length));
  }
}

function slabOf(whole: Slab, indices: Uint32Array): Slab {
  const starts = new Uint32Array(indices.length);
  const ends = new Uint32Array(indices.length);
  for (let i = 0; i < indices.length; i++) {
    const at = indices[i]!;
    if (at >= whole.starts.length) throw outside(at, whole.starts.length);
    starts[i] = whole.starts[at]!;
    ends[i] = whole.ends[at]!;
  }
  return { ...whole, starts, ends };
}

function sumLengths({ starts, ends }: Slab): number {
  let sum = 0;
  for (let i = 0; i < starts.length; i++) sum += ends[i]! - starts[i]!;
  return sum;
}

function outside(index: number, length: number): RangeError {
  return new RangeError(`no message ${index} in a batch of ${length}`);
}
