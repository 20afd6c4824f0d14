import type { MessageBatch, Metadata } from "@mqb/core/plugin";
import { DEDUP_HEADER, headerLines, ID_HEADER, NO_BLOCK, type Withheld } from "./headers.ts";

const FIRST_LINE = "NATS/1.0\r\n";
/** `mq_bridge.message_id: `, 32 digits and a line end. */
const ID_LINE_LENGTH = ID_HEADER.length + 2 + 32 + 2;
const DEDUP_LINE_LENGTH = DEDUP_HEADER.length + 2 + 32 + 2;
const HYPHEN = 45;
const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;
/** So much is collected before it is handed over. */
const ROOM = 64 * 1024;

export interface FrameSettings {
  readonly subject: string;
  /** Send the id for deduplication, where the metadata has none. */
  readonly deduplicate: boolean;
  /** Largest message that the server takes. */
  readonly limit: number;
  readonly write: (commands: Uint8Array) => void;
  readonly withheld: Withheld;
}

/** Writes messages as `HPUB` commands, many of them with one write: the driver's own `publish` makes six objects of each. */
export class FrameWriter {
  private readonly s: FrameSettings;
  /** The bytes of the subject, one as each character. */
  private readonly subject: string;
  private readonly scratch = new Uint8Array(36);
  private buffer = Buffer.alloc(0);
  private used = 0;
  private lastMetadata: Metadata | undefined;
  private lastLines = NO_BLOCK;
  /** Bytes of the message that was added last, headers included. */
  lastSize = 0;

  constructor(settings: FrameSettings) {
    this.s = settings;
    this.subject = Buffer.from(settings.subject).toString("latin1");
  }

  /**
   * Adds one message; `reply` is its reply subject, or "". Returns the bytes that it has for the server when they are more
   * than it takes: nothing is written then, and 0 otherwise.
   */
  add(batch: MessageBatch, index: number, reply: string): number {
    const {
      subject,
      s: { deduplicate, limit },
    } = this;
    const metadata = batch.metadata(index);
    const lines = this.linesOf(metadata);
    const dedup = deduplicate && !metadata.get(DEDUP_HEADER);
    const payload = batch.payload(index);
    const headLength = FIRST_LINE.length + ID_LINE_LENGTH + (dedup ? DEDUP_LINE_LENGTH : 0) + lines.length + 2;
    const total = headLength + payload.length;
    this.lastSize = total;
    if (total > limit) return total;
    const command = `HPUB ${subject} ${reply === "" ? "" : `${reply} `}${headLength} ${total}\r\n${FIRST_LINE}${ID_HEADER}: `;
    this.reserve(command.length + total);
    this.text(command);
    const id = this.used;
    this.id(batch, index);
    this.endLine();
    if (dedup) {
      this.text(`${DEDUP_HEADER}: `);
      this.used += this.buffer.copy(this.buffer, this.used, id, id + 32);
      this.endLine();
    }
    this.bytes(lines);
    this.endLine();
    this.bytes(payload);
    this.endLine();
    if (this.used >= ROOM) this.flush();
    return 0;
  }

  /** Hands over what is collected. */
  flush(): void {
    // Whoever has made it may change it before the next messages.
    this.lastMetadata = undefined;
    if (this.used === 0) return;
    this.s.write(this.buffer.subarray(0, this.used));
    // The bytes are the driver's until the socket has them.
    this.buffer = this.buffer.subarray(this.used);
    this.used = 0;
  }

  private reserve(bytes: number): void {
    if (this.buffer.length - this.used >= bytes) return;
    this.flush();
    if (this.buffer.length < bytes) this.buffer = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * ROOM));
  }

  /** Of metadata that many messages share, they are made once. */
  private linesOf(metadata: Metadata): Buffer {
    if (metadata === this.lastMetadata) return this.lastLines;
    let isWhole = true;
    const withheld = (name: string): void => {
      isWhole = false;
      this.s.withheld(name);
    };
    this.lastLines = metadata.size === 0 ? NO_BLOCK : Buffer.from(headerLines(metadata, withheld));
    // What is left out is told of for each message.
    this.lastMetadata = isWhole ? metadata : undefined;
    return this.lastLines;
  }

  private bytes(some: Uint8Array): void {
    if (some.length === 0) return;
    this.buffer.set(some, this.used);
    this.used += some.length;
  }

  private endLine(): void {
    this.buffer[this.used++] = CARRIAGE_RETURN;
    this.buffer[this.used++] = LINE_FEED;
  }

  private text(ascii: string): void {
    this.used += this.buffer.write(ascii, this.used, "latin1");
  }

  /** The 32 digits of the id. */
  private id(batch: MessageBatch, index: number): void {
    if (!batch.writeId) {
      this.text(batch.id(index).replaceAll("-", ""));
      return;
    }
    const { scratch } = this;
    batch.writeId(index, scratch, 0);
    for (let i = 0; i < 36; i++) if (scratch[i] !== HYPHEN) this.buffer[this.used++] = scratch[i]!;
  }
}
