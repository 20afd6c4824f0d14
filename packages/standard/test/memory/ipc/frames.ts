import type { Message, MessageBatch } from "@mqb/core/plugin";
import { FrameReader } from "../../../src/memory/ipc/frame-reader.ts";

export const ID = "00000000-0000-4000-8000-000000000001";

/** The frame with its length. */
export function framed(body: Uint8Array): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

/** Reads the body of one frame. Works on a copy. */
export function read(body: Uint8Array): MessageBatch {
  const reader = new FrameReader(Buffer.from(body));
  reader.add(0, body.length);
  return reader.batch();
}

export interface Shown {
  readonly id: string;
  readonly payload: string;
  readonly metadata: readonly (readonly [string, string])[];
}

/** What a batch holds, to compare; payloads as latin1. */
export function shown(batch: Iterable<Message>): Shown[] {
  return Array.from(batch, (message) => ({
    id: message.id,
    payload: Buffer.from(message.payload).toString("latin1"),
    metadata: [...message.metadata],
  }));
}
