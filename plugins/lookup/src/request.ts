import {
  asBuffer,
  batchOf,
  Message,
  type MessageBatch,
  type Metadata,
  type SlabFields,
  slabBatch,
} from "@mqb/core/plugin";
import type { Template } from "@mqb/standard";
import { HTTP_STATUS } from "./answer.ts";
import type { EntrySettings } from "./config.ts";
import type { Compile } from "./templates.ts";

/**
 * What requests do not take over from their message. The first three would steer the request, a status of before would be
 * taken for that of the answer, and the last two say who waits for the answer to the message itself.
 */
const OF_THE_MESSAGE = ["http_method", "http_path", "http_query", HTTP_STATUS, "correlation_id", "reply_to"];
const CONTENT_TYPE = "content-type";

/** Makes the requests of one lookup out of messages. */
export class Requests {
  private readonly metadata: readonly (readonly [string, Template])[];
  private readonly payload: { readonly plain: Template; readonly json: Template } | undefined;

  /** Throws a `config` error for a malformed template. */
  constructor({ metadata, payload }: Pick<EntrySettings, "metadata" | "payload">, compile: Compile) {
    this.metadata = Object.entries(metadata ?? {}).map(([key, text]) => [key, compile(text)]);
    if (payload != null) this.payload = { plain: compile(payload), json: compile(payload, { json: true }) };
  }

  /** One request for each of these positions, in their order. No payload is copied, unless there is a template for it. */
  make(batch: MessageBatch, positions: Uint32Array): MessageBatch {
    if (this.payload || !batch.slab) {
      return batchOf(Array.from(positions, (at) => this.request(batch, at)));
    }
    const fields: SlabFields = {
      id: (index) => batch.id(positions[index]!),
      metadata: (index) => this.metadataOf(batch, positions[index]!),
    };
    const { bytes, starts, ends } = batch.slab;
    return slabBatch({ bytes, starts: pick(starts, positions), ends: pick(ends, positions) }, fields);
  }

  private request(batch: MessageBatch, at: number): Message {
    const metadata = this.metadataOf(batch, at);
    return new Message(this.payloadOf(batch, at, metadata), metadata, batch.id(at));
  }

  private payloadOf(batch: MessageBatch, at: number, metadata: Metadata): Uint8Array {
    if (!this.payload) return asBuffer(batch.payload(at));
    const { plain, json } = this.payload;
    return Buffer.from((isJson(metadata) ? json : plain).render(batch, at));
  }

  private metadataOf(batch: MessageBatch, at: number): Metadata {
    const own = batch.metadata(at);
    if (this.metadata.length === 0 && !OF_THE_MESSAGE.some((key) => own.has(key))) return own;
    const metadata = new Map(own);
    for (const key of OF_THE_MESSAGE) metadata.delete(key);
    for (const [key, template] of this.metadata) metadata.set(key, template.render(batch, at));
    return metadata;
  }
}

function isJson(metadata: Metadata): boolean {
  for (const [key, value] of metadata) if (key.toLowerCase() === CONTENT_TYPE) return /json/i.test(value);
  return false;
}

function pick(from: Uint32Array, positions: Uint32Array): Uint32Array {
  return positions.map((at) => from[at]!);
}
