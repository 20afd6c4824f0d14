import { type Disposition, Message, type MessageId, type MessageSource, type Metadata } from "@mqb/core/plugin";
import { answerUnread, closingOf, cutWhenIdle, isGone, type Request, type Response } from "../listener/index.ts";
import { Body } from "../wire/body.ts";
import { TooLarge } from "../wire/codings.ts";
import type { Entry, Owner } from "./entry.ts";
import { messageId } from "./message-id.ts";
import type { SourceParts } from "./parts.ts";
import { requestMetadata } from "./request-metadata.ts";
import type { TlsFact } from "./tls-facts.ts";

const EXCHANGE = Symbol("mqb.http.exchange");
const EMPTY = Buffer.alloc(0);

interface Tagged {
  [EXCHANGE]: Exchange;
}

/** One request, its message and its answer. */
export class Exchange implements Entry, MessageSource {
  since = 0;
  readonly isPaced = false;
  readonly message: Message = Message.in(this, 0);
  private readonly request: Request;
  private readonly response: Response;
  private readonly parts: SourceParts;
  private readonly owner: Owner;
  private readonly tls: TlsFact | undefined;
  private readonly codings: readonly string[];
  private body: Buffer = EMPTY;
  private more: Body | undefined;
  private size = 0;
  private pairs: Metadata | undefined;
  private key: MessageId | undefined;
  /** Has an answer, which may still be on its way. */
  private answered = false;
  /** Its answer is with the client, or there is nobody to give one to. */
  private over = false;
  private gone = false;
  private whole = false;

  constructor(request: Request, response: Response, codings: readonly string[], parts: SourceParts, owner: Owner) {
    this.request = request;
    this.response = response;
    this.codings = codings;
    this.parts = parts;
    this.owner = owner;
    this.tls = parts.tls.of(request);
    const closing = closingOf(response);
    (closing as unknown as Tagged)[EXCHANGE] = this;
    closing.on("close", onClose);
  }

  get isVoid(): boolean {
    return this.gone;
  }

  get isAbandoned(): boolean {
    return isGone(this.response);
  }

  /** Reads the body; then the owner gets it. */
  read(expects: boolean): void {
    if (expects) this.response.writeContinue();
    const { headers } = this.request;
    if (headers["content-length"] === undefined && headers["transfer-encoding"] === undefined && !this.streamsBody()) {
      this.end();
      return;
    }
    (this.request as unknown as Tagged)[EXCHANGE] = this;
    this.request.on("data", onData);
    // A request that breaks off closes its response too, which says all that matters.
    this.request.on("end", onEnd);
  }

  payload(): Uint8Array {
    return this.body;
  }

  id(): MessageId {
    return (this.key ??= messageId(this.request.headers, this.parts.settings));
  }

  metadata(): Metadata {
    return (this.pairs ??= requestMetadata(this.request, this.tls));
  }

  accepted(): void {
    if (!this.parts.settings.fireAndForget || !this.answer()) return;
    this.parts.answers.accepted(this.request, this.response, this.message);
  }

  settle(disposition: Disposition | undefined): Promise<void> | undefined {
    if (!this.answer()) return undefined;
    const { request, response, message } = this;
    const { answers } = this.parts;
    if (disposition?.type === "reply") {
      return answers.reply(request, response, message, disposition.message, this.codings.length > 0);
    }
    if (disposition?.type === "nack") answers.failed(request, response, message, disposition.error);
    else answers.processed(request, response, message);
    return undefined;
  }

  spoil(): void {
    if (this.over) return;
    try {
      this.parts.answers.failed(this.request, this.response, this.message, undefined);
    } catch {
      // Nothing can be said to this client.
    }
    if (!this.response.writableEnded) this.response.destroy();
  }

  refuse(status: number, text: string): void {
    if (!this.answer()) return;
    this.parts.answers.refused(this.request, this.response, status, text, status === 503 ? { "retry-after": "1" } : {});
    if (!this.whole) answerUnread(this.request, this.response, status, text);
    this.gone = true;
    this.finish();
  }

  /** The time for its body, for its answer or for the way of that is over. */
  expire(): void {
    if (this.answered) {
      this.since = Number.POSITIVE_INFINITY;
      cutWhenIdle(this.request, this.response, this.parts.settings.timeoutMs);
    } else if (this.whole) this.refuse(504, "No reply in time");
    else this.refuse(408, "The request body was not received in time");
  }

  chunk(bytes: Buffer): void {
    if (this.answered || this.over) return;
    this.size += bytes.length;
    const { maxBodyBytes } = this.parts.settings;
    if (this.size > maxBodyBytes) {
      this.refuse(413, `Request body exceeds maximum of ${maxBodyBytes} bytes`);
      return;
    }
    if (this.size === bytes.length) this.body = bytes;
    else {
      if (!this.more) {
        this.more = new Body();
        this.more.add(this.body);
      }
      this.more.add(bytes);
    }
  }

  end(): void {
    if (this.answered || this.over) return;
    this.whole = true;
    if (this.more) this.body = this.more.whole();
    this.more = undefined;
    const { signature } = this.parts.settings;
    const fault = signature?.(this.body, headersOf(this.request), this.parts.clock.now());
    if (fault !== undefined) {
      this.refuse(401, fault);
      return;
    }
    if (this.codings.length === 0 || this.body.length === 0) this.owner.enqueue(this);
    else void this.decode();
  }

  /** The client is gone, or has read its answer. */
  closed(): void {
    if (!this.answered) this.gone = true;
    this.finish();
  }

  private async decode(): Promise<void> {
    const { codings, settings } = this.parts;
    try {
      this.body = await codings.decode(this.body, this.codings, settings.maxBodyBytes);
    } catch (error) {
      if (error instanceof TooLarge) {
        return this.refuse(413, `Request body exceeds maximum of ${settings.maxBodyBytes} bytes: ${error.message}`);
      }
      return this.refuse(400, `Failed to decompress request body: ${(error as Error).message}`);
    }
    if (!this.answered && !this.over) this.owner.enqueue(this);
  }

  /** False when it has an answer, or nobody to give one to. */
  private answer(): boolean {
    if (this.answered || this.over) return false;
    this.answered = true;
    this.since = this.parts.clock.monotonic();
    return true;
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    this.owner.finished(this);
  }

  /** A stream of HTTP/2 says by itself whether a body comes. */
  private streamsBody(): boolean {
    return this.request.httpVersionMajor === 2 && !("stream" in this.request && this.request.stream.endAfterHeaders);
  }
}

// Shared by all requests: a closure for each would cost as much as the rest of its way.
function onData(this: Request, chunk: Buffer): void {
  (this as unknown as Tagged)[EXCHANGE].chunk(chunk);
}

function onEnd(this: Request): void {
  (this as unknown as Tagged)[EXCHANGE].end();
}

function onClose(this: unknown): void {
  (this as unknown as Tagged)[EXCHANGE].closed();
}

function headersOf({ headers }: Request): (name: string) => string | undefined {
  return (name) => {
    const value = headers[name];
    return typeof value === "string" ? value : undefined;
  };
}
