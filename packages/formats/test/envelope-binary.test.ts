import { batchOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { createEncoder } from "../src/index.ts";
import { decodeAll } from "./support.ts";

const LF = Buffer.from("\n");
const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const BINARY = { "all byte values": every, empty: Buffer.alloc(0), "1 MiB": Buffer.alloc(1 << 20, every) };

describe.each(["normal", "json", "text"] as const)("bytes in envelopes of %s", (format) => {
  const roundTrip = (payload: Uint8Array | string): Buffer => {
    const bytes = Buffer.concat(createEncoder(format, LF).encode(batchOf([new Message(payload)])).chunks);
    const [decoded] = decodeAll(bytes, { format, maxMessageBytes: 1 << 24 });
    return Buffer.from(decoded!.batch.payload(0));
  };

  it.each(Object.entries(BINARY))("come back as they were: %s", (_, bytes) => {
    expect(roundTrip(bytes).equals(bytes)).toBe(true);
  });

  it("that look like base64 are text and are left alone", () => {
    const text = every.toString("base64");
    expect(roundTrip(text).toString()).toBe(text);
  });
});
