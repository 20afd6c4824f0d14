import type { ServerResponse } from "node:http";
import type { Disposition, Message } from "@mqb/core/plugin";
import type { Request, Response } from "../listener/index.ts";
import type { StreamFormat } from "../stream/splitter.ts";
import type { Answers } from "./answers.ts";
import { replyHead } from "./reply-head.ts";

const FAILED = "Message processing failed";

/** The answer to a streamed request: the replies to its items, in their order, in the format of the request. */
export class StreamAnswer {
  private readonly request: Request;
  private readonly response: Response;
  private readonly format: StreamFormat;
  private readonly answers: Answers;
  /** Frames that wait for those of earlier items; null = there is nothing to write. */
  private readonly held = new Map<number, Frame | null>();
  private next = 0;
  private failures = 0;

  constructor(request: Request, response: Response, format: StreamFormat, answers: Answers) {
    this.request = request;
    this.response = response;
    this.format = format;
    this.answers = answers;
  }

  settle(index: number, asked: Message, disposition: Disposition | undefined): void {
    let frame: Frame | null = null;
    if (disposition?.type === "reply")
      frame = { asked, reply: disposition.message, bytes: this.frame(disposition.message) };
    else if (disposition?.type === "nack") frame = { bytes: this.failure(index) };
    this.held.set(index, frame);
    for (let held = this.held.get(this.next); held !== undefined; held = this.held.get(this.next)) {
      this.held.delete(this.next++);
      if (held) this.write(held);
    }
  }

  /** Every item is settled. Where there was no reply to begin with, the status says whether all went well. */
  end(): void {
    const { response } = this;
    if (response.destroyed || response.writableEnded) return;
    if (!response.headersSent && this.failures > 0) {
      this.answers.refused(this.request, response, 500, `${FAILED}: ${this.failures} of ${this.next}`);
      return;
    }
    this.begin(undefined);
    response.end();
  }

  private write({ asked, reply, bytes }: Frame): void {
    const { response } = this;
    if (response.destroyed) return;
    if (!reply) this.failures += 1;
    // A failure before the first reply can still be told by the status, at the end.
    if (!reply && !response.headersSent) return;
    if (bytes === undefined) return void response.destroy();
    this.begin(reply && asked ? { asked, reply } : undefined);
    (response as ServerResponse).write(bytes);
  }

  private begin(first: { readonly asked: Message; readonly reply: Message } | undefined): void {
    if (this.response.headersSent) return;
    const own = this.answers.ownHeaders(this.request, undefined);
    if (!first) {
      this.response.writeHead(200, { "content-type": "application/octet-stream", ...own });
      return;
    }
    const options = { omitsRequestHeaders: true, wasDecoded: false, dropped: this.answers.dropped };
    const { status, headers } = replyHead(this.request, first.asked, first.reply, options);
    this.response.writeHead(status, { ...headers, ...own });
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

  /** Undefined = the format has no place for it, so that the answer breaks off. */
  private failure(index: number): Buffer | undefined {
    if (this.format === "raw_chunks") return undefined;
    const text =
      this.format === "ndjson" ? `${JSON.stringify({ error: FAILED, index })}\n` : `event: error\ndata: ${FAILED}\n\n`;
    return Buffer.from(text);
  }
}

interface Frame {
  readonly asked?: Message;
  readonly reply?: Message;
  readonly bytes: Uint8Array | undefined;
}
