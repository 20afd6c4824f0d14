import { digits } from "../wire/digits.ts";
import { Frame } from "../wire/frame.ts";
import type { DriverParser, DriverProtocol } from "./driver.ts";

export type Take = (frame: Frame) => void;

const LINE_FEED = 10;
/** Words are separated by it, and by what stands before it in ASCII. */
const SPACE = 32;
const H = 104;
const M = 109;
const LOWER_CASE = 32;
/** `HMSG <subject> <sid> <reply> <header bytes> <bytes>`. */
const MOST_WORDS = 6;

/**
 * Reads what the server sends in the place of the driver's parser, which makes ten objects of each message: here those of
 * our subscriptions stay bytes, and whoever takes them is called with where their parts lie. All else is the driver's.
 */
export class Reader implements DriverParser {
  private readonly protocol: DriverProtocol;
  private readonly driver: DriverParser;
  private readonly failed: (cause: unknown) => void;
  private readonly takers = new Map<number, Take>();
  private readonly frame = new Frame();
  /** Where the words of a line begin and end. */
  private readonly from = new Int32Array(MOST_WORDS);
  private readonly to = new Int32Array(MOST_WORDS);
  /** What came of a message or line that is not whole. */
  private parts: Uint8Array[] = [];
  private have = 0;
  /** So many bytes are needed before it is worth a look. */
  private need = 0;
  private isOurs = false;
  private isOver = false;

  /** `failed` hears once of what cannot be read, and of what a taker throws. */
  constructor(protocol: DriverProtocol, failed: (cause: unknown) => void) {
    this.protocol = protocol;
    this.driver = protocol.parser;
    this.failed = failed;
  }

  take(sid: number, taker: Take): void {
    this.takers.set(sid, taker);
  }

  forget(sid: number): void {
    this.takers.delete(sid);
  }

  parse(chunk: Uint8Array): void {
    if (this.isOver) return;
    try {
      // The driver may be within a line that began before us.
      this.isOurs ||= this.driver.state === 0;
      if (this.isOurs) this.read(chunk);
      else this.driver.parse(chunk);
    } catch (cause) {
      // The driver would stop reading, for everybody who uses the connection, and say nothing.
      this.isOver = true;
      this.failed(cause);
    }
  }

  private read(chunk: Uint8Array): void {
    const bytes = this.joined(chunk);
    if (!bytes) return;
    let at = 0;
    while (at < bytes.length) {
      const end = this.one(bytes, at);
      if (end < 0) break;
      at = end;
    }
    if (at === bytes.length) return;
    this.parts = [at === 0 ? bytes : bytes.subarray(at)];
    this.have = bytes.length - at;
  }

  private joined(chunk: Uint8Array): Buffer | undefined {
    if (this.have === 0) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    this.parts.push(chunk);
    this.have += chunk.length;
    if (this.have < this.need) return undefined;
    const bytes = Buffer.concat(this.parts, this.have);
    this.parts = [];
    this.have = 0;
    return bytes;
  }

  /** Reads the message or line at a place. Returns the end of it; -1 when it is not whole. */
  private one(bytes: Buffer, at: number): number {
    const first = bytes[at]! | LOWER_CASE;
    if (first === M || first === H) return this.message(bytes, at, first === H);
    const end = bytes.indexOf(LINE_FEED, at) + 1;
    if (end === 0) return this.lacking(0);
    this.driver.parse(bytes.subarray(at, end));
    return end;
  }

  private message(bytes: Buffer, at: number, hasHeaders: boolean): number {
    const { from, to, frame } = this;
    let count = 0;
    let word = -1;
    let i = at;
    for (; ; i++) {
      if (i === bytes.length) return this.lacking(0);
      const byte = bytes[i]!;
      if (byte > SPACE) {
        if (word < 0) word = i;
        continue;
      }
      if (word >= 0) {
        if (count === MOST_WORDS) throw malformed(bytes, at);
        from[count] = word;
        to[count++] = i;
        word = -1;
      }
      if (byte === LINE_FEED) break;
    }
    const fewest = hasHeaders ? 5 : 4;
    if (count !== fewest && count !== fewest + 1) throw malformed(bytes, at);
    const sid = digits(bytes, from[2]!, to[2]!);
    const size = digits(bytes, from[count - 1]!, to[count - 1]!);
    const head = hasHeaders ? digits(bytes, from[count - 2]!, to[count - 2]!) : 0;
    if (size < 0 || sid < 0 || head < 0 || head > size) throw malformed(bytes, at);
    const start = i + 1;
    const end = start + size + 2;
    if (end > bytes.length) return this.lacking(end - at);
    const hasReply = count > fewest;
    frame.bytes = bytes;
    frame.subject = from[1]!;
    frame.subjectEnd = to[1]!;
    frame.reply = hasReply ? from[3]! : 0;
    frame.replyEnd = hasReply ? to[3]! : 0;
    frame.head = start;
    frame.payload = start + head;
    frame.end = start + size;
    const taker = this.takers.get(sid);
    if (taker) taker(frame);
    else this.pass(sid, hasHeaders ? head : -1, size);
    return end;
  }

  /** As the driver's own parser says it. */
  private pass(sid: number, hdr: number, size: number): void {
    const { bytes, subject, subjectEnd, reply, replyEnd, head, end } = this.frame;
    const message = {
      subject: bytes.subarray(subject, subjectEnd),
      sid,
      reply: replyEnd > 0 ? bytes.subarray(reply, replyEnd) : undefined,
      hdr,
      size,
    };
    this.protocol.processMsg(message, bytes.subarray(head, end));
  }

  private lacking(need: number): -1 {
    this.need = need;
    return -1;
  }
}

/** What stands there may be of a payload: no more of it than would be the word of a message. */
function malformed(bytes: Buffer, at: number): Error {
  return new Error(`no message begins at byte ${at} (${JSON.stringify(bytes.toString("latin1", at, at + 4))})`);
}
