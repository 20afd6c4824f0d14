import { GrowingBuffer } from "@mqb/formats";

/** How a body is cut into items while it arrives. */
export type StreamFormat = "ndjson" | "sse" | "raw_chunks";

export interface StreamItem {
  readonly payload: Buffer;
  /** Of an event: its type and id. */
  readonly event?: string;
  readonly id?: string;
}

const NDJSON = /^application\/(x-)?(ndjson|jsonl|json-?lines)$/;

export function formatOfStream(contentType: string | undefined): StreamFormat {
  const type = (contentType ?? "").split(";")[0]!.trim().toLowerCase();
  if (type === "text/event-stream") return "sse";
  return NDJSON.test(type) ? "ndjson" : "raw_chunks";
}

export class ItemTooLarge extends Error {
  /** The items of the same chunk that came before it. */
  readonly before: readonly StreamItem[];

  constructor(what: string, limit: number, before: readonly StreamItem[]) {
    super(`${what} is larger than ${limit} bytes`);
    this.before = before;
  }
}

/** Cuts a body into items. Holds what has not ended yet, at most `limit` bytes: beyond it throws `ItemTooLarge`. */
export interface Splitter {
  push(chunk: Buffer): StreamItem[];
  /** What is left when the body has ended. */
  end(): StreamItem[];
}

export function createSplitter(format: StreamFormat, limit: number): Splitter {
  if (format === "raw_chunks") return { push: (payload) => [{ payload }], end: () => [] };
  return format === "ndjson" ? new Lines(limit) : new Events(limit);
}

const LF = 10;
const CR = 13;

/** What has come of an item that has not ended. Copied together, since a body may come byte by byte. */
class Rest {
  private held: GrowingBuffer | undefined;

  get length(): number {
    return this.held?.length ?? 0;
  }

  add(part: Buffer): void {
    (this.held ??= new GrowingBuffer(2 * part.length)).append(part);
  }

  /** All of it with its end; there is none of it after. */
  take(end: Buffer): Buffer {
    if (!this.held) return end;
    this.held.append(end);
    const whole = this.held.written();
    this.held = undefined;
    return whole;
  }
}

const NOTHING = Buffer.alloc(0);

/** Lines without their ends; empty ones are none. */
class Lines implements Splitter {
  private readonly limit: number;
  private readonly rest = new Rest();

  constructor(limit: number) {
    this.limit = limit;
  }

  push(chunk: Buffer): StreamItem[] {
    const items: StreamItem[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.take(chunk.subarray(from, at), items);
      from = at + 1;
    }
    this.check(chunk.length - from, items);
    if (from < chunk.length) this.rest.add(chunk.subarray(from));
    return items;
  }

  end(): StreamItem[] {
    const items: StreamItem[] = [];
    this.take(NOTHING, items);
    return items;
  }

  private check(more: number, before: StreamItem[]): void {
    if (this.rest.length + more > this.limit) throw new ItemTooLarge("an item", this.limit, before);
  }

  private take(end: Buffer, items: StreamItem[]): void {
    this.check(end.length, items);
    const line = this.rest.take(end);
    const payload = line.at(-1) === CR ? line.subarray(0, -1) : line;
    if (payload.length > 0) items.push({ payload });
  }
}

/** Events of an event stream, by the rules of its standard; an event that the end cuts off is delivered too. */
class Events implements Splitter {
  private readonly limit: number;
  private readonly rest = new Rest();
  private data: string[] = [];
  private size = 0;
  private event = "";
  private id: string | undefined;
  private begun = false;
  private afterCr = false;

  constructor(limit: number) {
    this.limit = limit;
  }

  push(chunk: Buffer): StreamItem[] {
    const items: StreamItem[] = [];
    if (chunk.length === 0) return items;
    let from = this.afterCr && chunk[0] === LF ? 1 : 0;
    this.afterCr = false;
    for (let at = from; at < chunk.length; at++) {
      if (chunk[at] !== LF && chunk[at] !== CR) continue;
      this.line(this.rest.take(chunk.subarray(from, at)), items);
      if (chunk[at] === CR && chunk[at + 1] === LF) at++;
      else this.afterCr = chunk[at] === CR && at === chunk.length - 1;
      from = at + 1;
    }
    if (this.rest.length + chunk.length - from + this.size > this.limit) throw this.tooLarge(items);
    if (from < chunk.length) this.rest.add(chunk.subarray(from));
    return items;
  }

  end(): StreamItem[] {
    const items: StreamItem[] = [];
    if (this.rest.length > 0) this.line(this.rest.take(NOTHING), items);
    this.dispatch(items);
    return items;
  }

  private line(bytes: Buffer, items: StreamItem[]): void {
    if (bytes.length === 0) {
      this.dispatch(items);
      return;
    }
    let text = bytes.toString("utf8");
    if (!this.begun) text = text.replace(/^\ufeff/, "");
    this.begun = true;
    const colon = text.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? "" : text.slice(colon + (text[colon + 1] === " " ? 2 : 1));
    if (field === "data") {
      this.data.push(value);
      this.size += value.length + 1;
      if (this.size > this.limit) throw this.tooLarge(items);
    } else if (field === "event") this.event = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
  }

  private dispatch(items: StreamItem[]): void {
    if (this.data.length > 0) {
      items.push({
        payload: Buffer.from(this.data.join("\n")),
        ...(this.event !== "" && { event: this.event }),
        ...(this.id !== undefined && { id: this.id }),
      });
    }
    this.data = [];
    this.size = 0;
    this.event = "";
  }

  private tooLarge(before: StreamItem[]): ItemTooLarge {
    return new ItemTooLarge("an event", this.limit, before);
  }
}
