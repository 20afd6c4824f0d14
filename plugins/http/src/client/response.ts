import type { IncomingHttpHeaders } from "node:http";
import { Message, type MessageBatch, type MessageId, type MessageSource, type Metadata } from "@mqb/core/plugin";
import { SOURCE_PREFIX, STATUS, VERSION } from "../wire/headers.ts";

/** An answer as a message with the id of its request. Its metadata is made when somebody asks for it. */
export class ReplySource implements MessageSource {
  private readonly batch: MessageBatch;
  private readonly index: number;
  private readonly status: number;
  private readonly headers: IncomingHttpHeaders;
  private readonly body: Uint8Array;
  private readonly wasDecoded: boolean;

  constructor(
    request: { readonly batch: MessageBatch; readonly index: number },
    status: number,
    headers: IncomingHttpHeaders,
    body: Uint8Array,
    wasDecoded: boolean,
  ) {
    this.batch = request.batch;
    this.index = request.index;
    this.status = status;
    this.headers = headers;
    this.body = body;
    this.wasDecoded = wasDecoded;
  }

  message(): Message {
    return Message.in(this, 0);
  }

  payload(): Uint8Array {
    return this.body;
  }

  id(): MessageId {
    return this.batch.id(this.index);
  }

  metadata(): Metadata {
    const metadata = responseMetadata(this.status, this.headers);
    if (this.wasDecoded) {
      metadata.delete("content-encoding");
      metadata.delete("content-length");
    }
    return metadata;
  }
}

/** The headers of an answer, a repeated one by its last value, but every cookie in a line of its own. */
export function responseMetadata(status: number, headers: IncomingHttpHeaders): Map<string, string> {
  const metadata = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(SOURCE_PREFIX)) continue;
    if (typeof value === "string") metadata.set(name, value);
    else metadata.set(name, name === "set-cookie" ? value.join("\n") : (value.at(-1) ?? ""));
  }
  metadata.set(VERSION, "HTTP/1.1");
  metadata.set(STATUS, String(status));
  return metadata;
}
