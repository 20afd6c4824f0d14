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

/** The same payloads as lines of one slab, each followed by a newline: what a file gives. */
export function lineBatch(count: number, options?: Pick<MessagesOptions, "from" | "bytes">): MessageBatch {
  return slabBatch(lineSlab(messages(count, options)));
}

function lineSlab(lines: readonly Message[]): Slab {
  const terminator = Buffer.from("\n");
  const starts = new Uint32Array(lines.length);
  const ends = new Uint32Array(lines.length);
  const parts: Uint8Array[] = [];
  let at = 0;
  lines.forEach((line, i) => {
    starts[i] = at;
    ends[i] = at += line.payload.length;
    at += terminator.length;
    parts.push(line.payload, terminator);
  });
  return { bytes: Buffer.concat(parts), starts, ends, terminator };
}

/** The payloads as texts, to compare batches at a glance. */
export function texts(batch: Iterable<Message>): string[] {
  return Array.from(batch, (message) => message.text());
}
