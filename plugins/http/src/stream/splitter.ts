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

export class ItemTooLarge extends Error {}

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

/** Lines without their ends; empty ones are none. */
class Lines implements Splitter {
  private readonly limit: number;
  private rest: Buffer[] = [];
  private size = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  push(chunk: Buffer): StreamItem[] {
    const items: StreamItem[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.hold(chunk.subarray(from, at));
      this.take(items);
      from = at + 1;
    }
    if (from < chunk.length) this.hold(chunk.subarray(from));
    return items;
  }

  end(): StreamItem[] {
    const items: StreamItem[] = [];
    this.take(items);
    return items;
  }

  private hold(part: Buffer): void {
    this.size += part.length;
    if (this.size > this.limit) throw new ItemTooLarge(`an item is larger than ${this.limit} bytes`);
    this.rest.push(part);
  }

  private take(items: StreamItem[]): void {
    const line = this.rest.length === 1 ? this.rest[0]! : Buffer.concat(this.rest);
    this.rest = [];
    this.size = 0;
    const payload = line.at(-1) === CR ? line.subarray(0, -1) : line;
    if (payload.length > 0) items.push({ payload });
  }
}

/** Events of an event stream, by the rules of its standard; an event that the end cuts off is delivered too. */
class Events implements Splitter {
  private readonly limit: number;
  private rest: Buffer = Buffer.alloc(0);
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
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    if (this.afterCr && bytes[0] === LF) bytes = bytes.subarray(1);
    this.afterCr = false;
    let from = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] !== LF && bytes[at] !== CR) continue;
      this.line(bytes.subarray(from, at), items);
      if (bytes[at] === CR && bytes[at + 1] === LF) at++;
      else this.afterCr = bytes[at] === CR && at === bytes.length - 1;
      from = at + 1;
    }
    this.rest = Buffer.from(bytes.subarray(from));
    if (this.rest.length + this.size > this.limit) throw this.tooLarge();
    return items;
  }

  end(): StreamItem[] {
    const items: StreamItem[] = [];
    if (this.rest.length > 0) this.line(this.rest, items);
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
      if (this.size > this.limit) throw this.tooLarge();
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

  private tooLarge(): ItemTooLarge {
    return new ItemTooLarge(`an event is larger than ${this.limit} bytes`);
  }
}
