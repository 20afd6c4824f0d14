import type { ServerResponse } from "node:http";
import type { Disposition, Message } from "@mqb/core/plugin";
import { isGone, type Request, type Response } from "../listener/index.ts";
import type { StreamFormat } from "../stream/splitter.ts";
import { type Answers, FAILED } from "./answers.ts";
import { replyHead } from "./reply-head.ts";

/** The answer to a streamed request: the replies to its items, in their order, in the format of the request. */
export class StreamAnswer {
  private readonly request: Request;
  private readonly response: Response;
  private readonly format: StreamFormat;
  private readonly answers: Answers;
  /** Frames that wait for those of earlier items; null = there is nothing to write. */
  private readonly held = new Map<number, Frame | null>();
  /** Items that failed before there was a head. */
  private early: number[] = [];
  private next = 0;
  private failures = 0;
  /** Every failure may pass. */
  private passes = true;

  constructor(request: Request, response: Response, format: StreamFormat, answers: Answers) {
    this.request = request;
    this.response = response;
    this.format = format;
    this.answers = answers;
  }

  settle(index: number, asked: Message, disposition: Disposition | undefined): void {
    let frame: Frame | null = null;
    if (disposition?.type === "reply") frame = { asked, reply: disposition.message };
    else if (disposition?.type === "nack") frame = { passes: this.answers.passes(disposition.error) };
    this.held.set(index, frame);
    for (let held = this.held.get(this.next); held !== undefined; held = this.held.get(this.next)) {
      this.held.delete(this.next);
      const at = this.next++;
      if (held === null || isGone(this.response)) continue;
      if ("reply" in held) this.reply(held.asked, held.reply);
      else this.fail(at, held.passes);
    }
  }

  /** Every item is settled. Where there was no reply to begin with, the status says whether all went well. */
  end(): void {
    const { request, response } = this;
    if (isGone(response) || response.writableEnded) return;
    if (!response.headersSent && this.failures > 0) {
      const text = `${FAILED}: ${this.failures} of ${this.next}`;
      this.answers.refused(request, response, this.passes ? 502 : 500, text);
      return;
    }
    if (!response.headersSent) {
      const own = this.answers.ownHeaders(request, undefined);
      response.writeHead(200, { "content-type": "application/octet-stream", ...own });
    }
    response.end();
  }

  private reply(asked: Message, reply: Message): void {
    // Chunks have no place for the failures before them: the end tells of those, by the status.
    if (this.early.length > 0 && this.format === "raw_chunks") return;
    if (!this.response.headersSent) this.begin(asked, reply);
    this.write(this.frame(reply));
  }

  private fail(index: number, passes: boolean): void {
    this.failures += 1;
    this.passes &&= passes;
    // Without a reply so far, the status can still tell.
    if (!this.response.headersSent) this.early.push(index);
    else if (this.format === "raw_chunks") this.response.destroy();
    else this.write(this.failure(index));
  }

  private begin(asked: Message, reply: Message): void {
    const { status, headers } = replyHead(this.request, asked, reply, this.answers.asIs);
    // More may follow, whatever the first one says of itself.
    const open = status === 204 || status === 304 ? 200 : status;
    this.response.writeHead(open, { ...headers, ...this.answers.ownHeaders(this.request, undefined) });
    for (const index of this.early) this.write(this.failure(index));
    this.early = [];
  }

  private write(bytes: Uint8Array): void {
    (this.response as ServerResponse).write(bytes);
  }

  private frame({ payload, metadata }: Message): Uint8Array {
    if (this.format === "raw_chunks") return payload;
    const text = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
    if (this.format === "ndjson") return Buffer.concat([text, Buffer.from("\n")]);
    const event = metadata.get("sse_event");
    const head = event === undefined || /[\r\n]/.test(event) ? "" : `event: ${event}\n`;
    const data = text.toString("utf8").split(/\r\n|\r|\n/);
    return Buffer.from(`${head}${data.map((line) => `data: ${line}\n`).join("")}\n`);
  }

  private failure(index: number): Buffer {
    const isLine = this.format === "ndjson";
    return Buffer.from(isLine ? `${JSON.stringify({ error: FAILED, index })}\n` : `event: error\ndata: ${FAILED}\n\n`);
  }
}

/** What became of an item that is told of. */
type Frame = { readonly asked: Message; readonly reply: Message } | { readonly passes: boolean };
