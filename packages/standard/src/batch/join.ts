import {
  asBuffer,
  batchOf,
  type Message,
  type MessageBatch,
  type MessageId,
  type Metadata,
  type Slab,
  slabBatch,
} from "@mqb/core/plugin";

/**
 * The batches one after another, as one batch. Batches that all lie in slabs are copied into one slab, so that a sink
 * still writes them with one call and the large buffers that they were cut from are not kept. Others are only strung
 * together: no message is touched.
 */
export function joinBatches(parts: readonly MessageBatch[]): MessageBatch {
  if (parts.length === 1) return parts[0]!;
  const slabs = parts.map((part) => part.slab);
  const places = new Places(parts);
  return slabs.every((slab) => slab !== undefined) ? joinSlabs(slabs, places) : new JoinedBatch(places);
}

/** Where in the parts a position of the whole lies. Remembers the last part, since positions mostly go up. */
class Places {
  readonly parts: readonly MessageBatch[];
  readonly length: number;
  /** First position of each part, and the length of the whole. */
  private readonly starts: Uint32Array;
  private part = 0;

  constructor(parts: readonly MessageBatch[]) {
    this.parts = parts;
    this.starts = new Uint32Array(parts.length + 1);
    for (let i = 0; i < parts.length; i++) this.starts[i + 1] = this.starts[i]! + parts[i]!.length;
    this.length = this.starts[parts.length]!;
  }

  /** Calls `read` with the part and the position within it. */
  read<T>(index: number, read: (part: MessageBatch, index: number) => T): T {
    if (!(index >= 0 && index < this.length)) throw new RangeError(`no message ${index} in a batch of ${this.length}`);
    if (index < this.starts[this.part]!) this.part = 0;
    while (index >= this.starts[this.part + 1]!) this.part++;
    return read(this.parts[this.part]!, index - this.starts[this.part]!);
  }
}

const messageAt = (part: MessageBatch, index: number): Message => part.at(index);
const payloadAt = (part: MessageBatch, index: number): Uint8Array => part.payload(index);
const idAt = (part: MessageBatch, index: number): MessageId => part.id(index);
const metadataAt = (part: MessageBatch, index: number): Metadata => part.metadata(index);

class JoinedBatch implements MessageBatch {
  readonly length: number;
  private readonly places: Places;
  private bytes = -1;

  constructor(places: Places) {
    this.places = places;
    this.length = places.length;
  }

  get byteLength(): number {
    if (this.bytes < 0) this.bytes = this.places.parts.reduce((sum, part) => sum + part.byteLength, 0);
    return this.bytes;
  }

  at(index: number): Message {
    return this.places.read(index, messageAt);
  }

  payload(index: number): Uint8Array {
    return this.places.read(index, payloadAt);
  }

  id(index: number): MessageId {
    return this.places.read(index, idAt);
  }

  metadata(index: number): Metadata {
    return this.places.read(index, metadataAt);
  }

  select(indices: Uint32Array): MessageBatch {
    const some = new Array<Message>(indices.length);
    for (let i = 0; i < indices.length; i++) some[i] = this.at(indices[i]!);
    return batchOf(some);
  }

  *[Symbol.iterator](): Iterator<Message> {
    for (const part of this.places.parts) yield* part;
  }
}

function joinSlabs(slabs: readonly Slab[], places: Places): MessageBatch {
  const terminator = commonTerminator(slabs);
  const gap = terminator?.length ?? 0;
  let size = 0;
  for (const part of places.parts) size += part.byteLength + part.length * gap;
  const bytes = Buffer.allocUnsafe(size);
  const starts = new Uint32Array(places.length);
  const ends = new Uint32Array(places.length);
  let at = 0;
  let n = 0;
  for (const slab of slabs) {
    for (let i = 0; i < slab.starts.length; i++, n++) {
      starts[n] = at;
      at += slab.bytes.copy(bytes, at, slab.starts[i]!, slab.ends[i]!);
      ends[n] = at;
      if (terminator) {
        bytes.set(terminator, at);
        at += gap;
      }
    }
  }
  const slab = { bytes, starts, ends };
  return slabBatch(terminator ? { ...slab, terminator } : slab, {
    id: (index) => places.read(index, idAt),
    metadata: (index) => places.read(index, metadataAt),
  });
}

function commonTerminator(slabs: readonly Slab[]): Uint8Array | undefined {
  const first = slabs[0]!.terminator;
  if (!first) return undefined;
  const same = slabs.every(({ terminator }) => terminator && asBuffer(terminator).equals(first));
  return same ? first : undefined;
}
