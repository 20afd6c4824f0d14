/** Records of one partition, in the order of their offsets, as ranges of one buffer. Nothing of them is parsed further yet. */
export interface RecordChunk {
  readonly bytes: Buffer;
  readonly count: number;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Where the key begins; its end is `keyEnds`. -1 = no key. */
  readonly keys: Int32Array;
  readonly keyEnds: Int32Array;
  /** Where the number of headers stands. */
  readonly headers: Uint32Array;
  readonly offsets: Float64Array;
  /** 1 = the value is null. Absent = none is. */
  readonly nulls: Uint8Array | undefined;
  /** The offset behind all of it, records that are left out (markers, aborted ones) included. */
  readonly next: number;
}

/** Collects the places of records; grows as needed. */
export class ChunkBuilder {
  private capacity: number;
  private starts: Uint32Array;
  private ends: Uint32Array;
  private keys: Int32Array;
  private keyEnds: Int32Array;
  private headers: Uint32Array;
  private offsets: Float64Array;
  private nulls: Uint8Array | undefined;
  count = 0;

  constructor(capacity: number) {
    this.capacity = Math.max(16, capacity);
    this.starts = new Uint32Array(this.capacity);
    this.ends = new Uint32Array(this.capacity);
    this.keys = new Int32Array(this.capacity);
    this.keyEnds = new Int32Array(this.capacity);
    this.headers = new Uint32Array(this.capacity);
    this.offsets = new Float64Array(this.capacity);
  }

  /** A value of -1 bytes is null. */
  add(offset: number, key: number, keyEnd: number, value: number, valueSize: number, headers: number): void {
    if (this.count === this.capacity) this.grow();
    const at = this.count++;
    this.offsets[at] = offset;
    this.keys[at] = key;
    this.keyEnds[at] = keyEnd;
    this.starts[at] = value;
    this.ends[at] = valueSize < 0 ? value : value + valueSize;
    this.headers[at] = headers;
    if (valueSize < 0) (this.nulls ??= new Uint8Array(this.capacity))[at] = 1;
  }

  build(bytes: Buffer, next: number): RecordChunk {
    const { count, nulls } = this;
    return {
      bytes,
      count,
      starts: this.starts.subarray(0, count),
      ends: this.ends.subarray(0, count),
      keys: this.keys,
      keyEnds: this.keyEnds,
      headers: this.headers,
      offsets: this.offsets,
      nulls,
      next,
    };
  }

  private grow(): void {
    this.capacity *= 2;
    this.starts = copied(this.starts, new Uint32Array(this.capacity));
    this.ends = copied(this.ends, new Uint32Array(this.capacity));
    this.keys = copied(this.keys, new Int32Array(this.capacity));
    this.keyEnds = copied(this.keyEnds, new Int32Array(this.capacity));
    this.headers = copied(this.headers, new Uint32Array(this.capacity));
    this.offsets = copied(this.offsets, new Float64Array(this.capacity));
    if (this.nulls) this.nulls = copied(this.nulls, new Uint8Array(this.capacity));
  }
}

function copied<T extends Uint8Array | Int32Array | Uint32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
