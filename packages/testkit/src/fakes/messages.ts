import { batchOf, Message, type MessageBatch, type MessageId, type Slab, slabBatch } from "@mqb/core/plugin";

export interface MessagesOptions {
  /** Number of the first message [0]. */
  readonly from?: number;
  /** Length of each payload; the text is followed by dots. */
  readonly bytes?: number;
  /** Also a metadata pair `n` with the number [false]. */
  readonly metadata?: boolean;
  readonly id?: (n: number) => MessageId;
}

/** Messages with the payloads `message 0`, `message 1`, …; the same call gives the same payloads. */
export function messages(count: number, options: MessagesOptions = {}): Message[] {
  const { from = 0, bytes = 0, metadata = false, id } = options;
  return Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const pairs = metadata ? new Map([["n", String(n)]]) : undefined;
    return new Message(`message ${n}`.padEnd(bytes, "."), pairs, id?.(n));
  });
}

/** The same messages as a batch of message objects. */
export function messageBatch(count: number, options?: MessagesOptions): MessageBatch {
  return batchOf(messages(count, options));
}

/** The same messages in a slab, each payload followed by a newline: what a file gives. */
export function lineBatch(count: number, options?: MessagesOptions): MessageBatch {
  return slabOf(messages(count, options));
}

/** Messages laid into one slab, with newlines between them; ids and metadata come with them. */
export function slabOf(list: readonly Message[]): MessageBatch {
  const terminator = Buffer.from("\n");
  const starts = new Uint32Array(list.length);
  const ends = new Uint32Array(list.length);
  const parts: Uint8Array[] = [];
  let at = 0;
  let ambiguous = false;
  for (const [i, { payload }] of list.entries()) {
    starts[i] = at;
    ends[i] = at += payload.length;
    at += terminator.length;
    parts.push(payload, terminator);
    ambiguous ||= payload.includes(terminator[0]!);
  }
  const slab: Slab = { bytes: Buffer.concat(parts), starts, ends, ...(!ambiguous && { terminator }) };
  return slabBatch(slab, { id: (i) => list[i]!.id, metadata: (i) => list[i]!.metadata });
}

/** The payloads as texts, to compare batches at a glance. */
export function texts(batch: Iterable<Message>): string[] {
  return Array.from(batch, (message) => message.text());
}
