import { createHash } from "node:crypto";
import { asBuffer, type MessageBatch } from "@mqb/core/plugin";

/** How many dead letters are remembered. */
const LIMIT = 10_000;
const SOURCE_POSITION = "mqb.src.";
const DEAD_LETTERED_AT = "mq_bridge.dlq.timestamp_ms";

/**
 * The messages that are in the dead-letter endpoint already. When messages beside or before them were nacked, the source
 * delivers them again, and they fail again; they must not be dead-lettered twice.
 */
export class Remembered {
  private readonly keys = new Set<string>();

  has(key: string): boolean {
    return this.keys.has(key);
  }

  add(key: string): void {
    this.keys.add(key);
    if (this.keys.size <= LIMIT) return;
    const [oldest] = this.keys;
    this.keys.delete(oldest!);
  }
}

/**
 * What makes a message the same one when it is delivered again: its position in the source, else its id; and its
 * payload. A dead letter that somebody plays back is another message: it carries when it was dead-lettered.
 */
export function redeliveryKey(batch: MessageBatch, index: number): string {
  const metadata = batch.metadata(index);
  const position = [...metadata].filter(([name]) => name.startsWith(SOURCE_POSITION));
  const identity = position.length > 0 ? JSON.stringify(position.sort()) : batch.id(index);
  const payload = createHash("sha1")
    .update(asBuffer(batch.payload(index)))
    .digest("base64");
  return `${identity} ${metadata.get(DEAD_LETTERED_AT) ?? ""} ${payload}`;
}
