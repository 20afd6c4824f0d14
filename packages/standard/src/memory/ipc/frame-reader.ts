import { idFromText, type MessageBatch, type Metadata, slabBatch } from "@mqb/core/plugin";

/** Bytes that are no frame of messages. `at` counts from the first byte behind the length of the frame. */
export class FrameFault extends Error {
  constructor(reason: string, at?: number) {
    super(at === undefined ? reason : `${reason} (byte ${at})`);
    this.name = "FrameFault";
  }
}

/** The shortest message: an array with an empty id and an empty payload. */
const LEAST_MESSAGE_BYTES = 4;

/**
 * The messages of frames that lie in one buffer: where their parts are. Everything is looked at when a frame is added, so
 * that what is asked for later cannot fail; texts and maps are made only when somebody asks.
 */
export class FrameReader {
  length = 0;
  private readonly bytes: Buffer;
  /** Of the header of each id. */
  private ids = NO_POSITIONS;
  private starts = NO_POSITIONS;
  private ends = NO_POSITIONS;
  /** Of the header of each map of metadata; 0 = there is none. */
  private maps = NO_POSITIONS;
  /** The frame that is being read. */
  private start = 0;
  private at = 0;
  private end = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Adds the messages of the frame that lies between two positions, without its length. Throws a `FrameFault`, and adds nothing then. */
  add(start: number, end: number): void {
    const before = this.length;
    this.start = start;
    this.at = start;
    this.end = end;
    try {
      const count = this.arrayLength("a list of messages");
      // A length alone must not cost memory.
      if (count * LEAST_MESSAGE_BYTES > end - this.at) throw this.fault(`too short for its ${count} messages`);
      this.reserve(count);
      for (let i = 0; i < count; i++) this.message(before + i);
      if (this.at !== end) throw this.fault(`${end - this.at} bytes are left over`);
      this.length = before + count;
    } catch (error) {
      this.length = before;
      throw error;
    }
  }

  batch(): MessageBatch {
    const { bytes, length, ids, maps } = this;
    const slab = { bytes, starts: this.starts.subarray(0, length), ends: this.ends.subarray(0, length) };
    const pairs = new MapReader(bytes);
    return slabBatch(slab, {
      id: (index) => idFromText(textAt(bytes, ids[index]!)),
      writeId(index, into, at) {
        const from = ids[index]!;
        if (isPlainId(bytes, from)) {
          for (let i = 0; i < 36; i++) into[at + i] = bytes[from + 2 + i]!;
        } else {
          const id = idFromText(textAt(bytes, from));
          for (let i = 0; i < 36; i++) into[at + i] = id.charCodeAt(i);
        }
        return true;
      },
      metadata: (index) => (maps[index] === 0 ? undefined : pairs.at(maps[index]!)),
    });
  }

  private message(index: number): void {
    this.need(1);
    const type = this.bytes[this.at]!;
    this.maps[index] = 0;
    if ((type & 0xf0) === 0x80 || type === 0xde || type === 0xdf) {
      this.named(index);
      return;
    }
    const parts = this.arrayLength("a message");
    if (parts !== 2 && parts !== 3) throw this.fault(`a message of ${parts} parts`);
    this.id(index);
    this.payload(index);
    if (parts === 3) this.map(index);
  }

  /** A message as a map with the names of its parts. */
  private named(index: number): void {
    let hasId = false;
    let hasPayload = false;
    for (let left = this.mapLength("a message"); left > 0; left--) {
      const from = this.at;
      this.skipText("the name of a part");
      const name = textAt(this.bytes, from);
      if (name === "message_id") {
        this.id(index);
        hasId = true;
      } else if (name === "payload") {
        this.payload(index);
        hasPayload = true;
      } else if (name === "metadata") this.map(index);
      else this.skipValue();
    }
    if (!hasId) throw this.fault("a message without message_id");
    if (!hasPayload) throw this.fault("a message without payload");
  }

  private id(index: number): void {
    this.ids[index] = this.at;
    const { bytes, at } = this;
    if (bytes[at] === 0xd9 && bytes[at + 1] === 36 && this.end - at >= 38) this.at = at + 38;
    else this.skipText("the id");
  }

  /** Bytes; texts and lists of numbers are taken too. */
  private payload(index: number): void {
    this.need(2);
    const { bytes, at } = this;
    const type = bytes[at]!;
    if (type === 0xc4) this.at = at + 2;
    else if (type === 0xc5 || type === 0xc6) this.at = at + (type === 0xc5 ? 3 : 5);
    else if (isArray(type)) {
      this.numbers(index);
      return;
    } else if (isText(type)) {
      this.skipText("the payload");
      this.ends[index] = this.at;
      this.starts[index] = at + textHeader(type);
      return;
    } else throw this.fault("the payload is not bytes");
    this.need(0);
    const length =
      type === 0xc4 ? bytes[at + 1]! : type === 0xc5 ? bytes.readUInt16BE(at + 1) : bytes.readUInt32BE(at + 1);
    this.need(length);
    this.starts[index] = this.at;
    this.at += length;
    this.ends[index] = this.at;
  }

  /** A list of numbers of 0 to 255 becomes bytes where it lies: it takes at least one byte for each. */
  private numbers(index: number): void {
    const start = this.at;
    const count = this.arrayLength("the payload");
    const { bytes } = this;
    for (let i = 0; i < count; i++) {
      this.need(1);
      const type = bytes[this.at]!;
      if (type < 0x80) this.at += 1;
      else if (type === 0xcc) {
        this.need(2);
        this.at += 2;
      } else throw this.fault("the payload is a list of something other than bytes");
      bytes[start + i] = bytes[this.at - 1]!;
    }
    this.starts[index] = start;
    this.ends[index] = start + count;
  }

  private map(index: number): void {
    const from = this.at;
    const count = this.mapLength("the metadata");
    for (let left = 2 * count; left > 0; left--) this.skipText("the metadata");
    if (count > 0) this.maps[index] = from;
  }

  private skipText(what: string): void {
    this.need(1);
    const { bytes, at } = this;
    const type = bytes[at]!;
    if (!isText(type)) throw this.fault(`${what} is not text`);
    const header = textHeader(type);
    this.need(header);
    this.at = at + header;
    const length = textLength(bytes, at);
    this.need(length);
    this.at += length;
  }

  /** Passes over a value of any type. Counts what is still to come, so that nesting costs nothing. */
  private skipValue(): void {
    for (let left = 1; left > 0; left--) {
      this.need(1);
      const type = this.bytes[this.at]!;
      if (isArray(type)) left += this.arrayLength("a value");
      else if (isMap(type)) left += 2 * this.mapLength("a value");
      else if (isText(type)) this.skipText("a value");
      else this.skipScalar(type);
    }
  }

  private skipScalar(type: number): void {
    const fixed =
      type < 0x80 || type >= 0xe0 || type === 0xc0 || type === 0xc2 || type === 0xc3 ? 1 : FIXED_SIZES[type];
    if (fixed !== undefined) {
      this.pass(fixed);
      return;
    }
    // bin and ext: a length of 1, 2 or 4 bytes; ext has a byte for its type as well.
    const lengthBytes = LENGTH_SIZES[type];
    if (lengthBytes === undefined) throw this.fault(`0x${type.toString(16)} begins no value`);
    this.need(1 + lengthBytes);
    const length = this.bytes.readUIntBE(this.at + 1, lengthBytes);
    this.pass(1 + lengthBytes + (type >= 0xc7 ? 1 : 0) + length);
  }

  private arrayLength(what: string): number {
    return this.groupLength(what, "list", 0x90, 0xdc);
  }

  private mapLength(what: string): number {
    return this.groupLength(what, "map", 0x80, 0xde);
  }

  private groupLength(what: string, form: string, small: number, form16: number): number {
    this.need(1);
    const { bytes, at } = this;
    const type = bytes[at]!;
    if ((type & 0xf0) === small) {
      this.at += 1;
      return type & 0x0f;
    }
    if (type !== form16 && type !== form16 + 1) throw this.fault(`${what} is not a ${form}`);
    const size = type === form16 ? 2 : 4;
    this.need(1 + size);
    this.at += 1 + size;
    return bytes.readUIntBE(at + 1, size);
  }

  private pass(length: number): void {
    this.need(length);
    this.at += length;
  }

  private need(length: number): void {
    if (this.end - this.at < length) throw this.fault("it ends too early");
  }

  private reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.ids.length) return;
    const size = Math.max(needed, 2 * this.ids.length);
    this.ids = grown(this.ids, size);
    this.starts = grown(this.starts, size);
    this.ends = grown(this.ends, size);
    this.maps = grown(this.maps, size);
  }

  private fault(reason: string): FrameFault {
    return new FrameFault(reason, this.at - this.start);
  }
}

const NO_POSITIONS = new Uint32Array(0);
/** Numbers and fixed ext: the whole value in bytes. */
const FIXED_SIZES: Readonly<Record<number, number>> = {
  202: 5,
  203: 9,
  204: 2,
  205: 3,
  206: 5,
  207: 9,
  208: 2,
  209: 3,
  210: 5,
  211: 9,
  212: 3,
  213: 4,
  214: 6,
  215: 10,
  216: 18,
};
const LENGTH_SIZES: Readonly<Record<number, number>> = { 196: 1, 197: 2, 198: 4, 199: 1, 200: 2, 201: 4 };

function isArray(type: number): boolean {
  return (type & 0xf0) === 0x90 || type === 0xdc || type === 0xdd;
}

function isMap(type: number): boolean {
  return (type & 0xf0) === 0x80 || type === 0xde || type === 0xdf;
}

function isText(type: number): boolean {
  return (type & 0xe0) === 0xa0 || (type >= 0xd9 && type <= 0xdb);
}

function textHeader(type: number): number {
  return (type & 0xe0) === 0xa0 ? 1 : type === 0xd9 ? 2 : type === 0xda ? 3 : 5;
}

function textLength(bytes: Buffer, at: number): number {
  const type = bytes[at]!;
  if ((type & 0xe0) === 0xa0) return type & 0x1f;
  if (type === 0xd9) return bytes[at + 1]!;
  return type === 0xda ? bytes.readUInt16BE(at + 1) : bytes.readUInt32BE(at + 1);
}

function textAt(bytes: Buffer, at: number): string {
  const from = at + textHeader(bytes[at]!);
  return bytes.toString("utf8", from, from + textLength(bytes, at));
}

/** Makes maps of metadata. Messages of one batch often have the same: then it is the same map. */
class MapReader {
  private readonly bytes: Buffer;
  private last: Metadata | undefined;
  private from = 0;
  private end = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The map whose header is at a position. */
  at(from: number): Metadata {
    if (this.last && this.isLast(from)) return this.last;
    this.from = from;
    this.end = from;
    const metadata = new Map<string, string>();
    for (let left = this.count(); left > 0; left--) metadata.set(this.text(), this.text());
    this.last = metadata;
    return metadata;
  }

  /** Where a value ends follows from its bytes, so equal bytes are an equal value. */
  private isLast(from: number): boolean {
    const { bytes, from: last, end } = this;
    const length = end - last;
    if (from + length > bytes.length) return false;
    for (let i = 0; i < length; i++) if (bytes[from + i] !== bytes[last + i]) return false;
    return true;
  }

  private count(): number {
    const { bytes, from } = this;
    const type = bytes[from]!;
    const size = (type & 0xf0) === 0x80 ? 0 : type === 0xde ? 2 : 4;
    this.end += 1 + size;
    return size === 0 ? type & 0x0f : bytes.readUIntBE(from + 1, size);
  }

  private text(): string {
    const { bytes, end } = this;
    this.end += textHeader(bytes[end]!) + textLength(bytes, end);
    return textAt(bytes, end);
  }
}

/** Whether the id at a header is UUID text as we write it: 36 characters, lower case. */
function isPlainId(bytes: Buffer, at: number): boolean {
  if (bytes[at] !== 0xd9 || bytes[at + 1] !== 36) return false;
  for (let i = 0; i < 36; i++) {
    const byte = bytes[at + 2 + i]!;
    const hyphen = i === 8 || i === 13 || i === 18 || i === 23;
    if (hyphen ? byte !== 45 : !((byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 102))) return false;
  }
  return true;
}

function grown(positions: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(positions);
  return larger;
}
