import { idFromText } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { FrameFault } from "../../../src/memory/ipc/frame-reader.ts";
import { FrameWriter } from "../../../src/memory/ipc/frame-writer.ts";
import { ID, read, shown } from "./frames.ts";

const str = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0xd9, bytes.length]), bytes]);
};
const bin = (text: string): Buffer => Buffer.concat([Buffer.from([0xc4, Buffer.byteLength(text)]), Buffer.from(text)]);
const body = (...parts: (number | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.from([part]) : part)));
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(" ", ""), "hex");

describe("a frame is read", () => {
  it("with messages as lists of two or three parts", () => {
    const frame = body(0x92, 0x92, str(ID), bin("a"), 0x93, str(ID), bin("b"), 0x81, str("k"), str("v"));
    expect(shown(read(frame))).toEqual([
      { id: ID, payload: "a", metadata: [] },
      { id: ID, payload: "b", metadata: [["k", "v"]] },
    ]);
  });

  it("with messages as maps, in any order, and with parts that nobody knows", () => {
    const values = [
      "c0",
      "c2",
      "cb 3ff0000000000000",
      "92 01 91 c3",
      "81 a161 01",
      "c7 01 05 ff",
      "d6 01 00000000",
      "d1 0001",
      "e0",
      "c4 01 00",
    ];
    for (const value of values) {
      const frame = body(
        0x91,
        0x84,
        str("more"),
        hex(value),
        str("payload"),
        bin("m"),
        str("message_id"),
        str(ID),
        str("metadata"),
        0x80,
      );
      expect(shown(read(frame)), value).toEqual([{ id: ID, payload: "m", metadata: [] }]);
    }
  });

  it("with payloads as text and as lists of numbers", () => {
    const frame = body(
      0x94,
      0x92,
      str(ID),
      str("text"),
      0x92,
      str(ID),
      hex("94 00 7f cc80 ccff"),
      0x92,
      str(ID),
      hex("dc0002 01 02"),
      0x92,
      str(ID),
      0xa1,
      0x78,
    );
    expect(shown(read(frame)).map(({ payload }) => payload)).toEqual(["text", "\x00\x7f\x80\xff", "\x01\x02", "x"]);
  });

  it("with the long forms of every length", () => {
    const id = body(0xda, 0, 36, Buffer.from(ID));
    const payload = body(0xc6, 0, 0, 0, 1, 0x61);
    const map = body(0xdf, 0, 0, 0, 1, 0xdb, 0, 0, 0, 1, 0x6b, str("v"));
    expect(shown(read(body(0xdd, 0, 0, 0, 1, 0xdc, 0, 3, id, payload, map)))).toEqual([
      { id: ID, payload: "a", metadata: [["k", "v"]] },
    ]);
  });

  it.each(["not a uuid", "42", ID.toUpperCase(), "", "0x1f"])("with the id %j, which becomes a stable one", (text) => {
    const batch = read(body(0x91, 0x92, str(text), bin("a")));
    expect(batch.id(0)).toBe(idFromText(text));
    const written = Buffer.alloc(36);
    batch.writeId!(0, written, 0);
    expect(written.toString()).toBe(idFromText(text));
  });

  it("with metadata that is the same for some of them, and shared by these", () => {
    const pair = (key: string, value: string) => body(0x81, str(key), str(value));
    const metadata = [pair("k", "v"), pair("k", "v"), pair("k", "vv"), pair("k", "v"), body(0x80), pair("k", "v")];
    const batch = read(body(0x96, ...metadata.flatMap((map) => [0x93, str(ID), bin("a"), map])));
    const values = [...batch].map((message) => message.metadata.get("k"));
    expect(values).toEqual(["v", "v", "vv", "v", undefined, "v"]);
    expect(batch.metadata(1)).toBe(batch.metadata(0));
    expect(batch.metadata(2)).not.toBe(batch.metadata(0));
  });

  it("without messages", () => {
    expect(read(hex("90")).length).toBe(0);
  });
});

describe("what is no frame is refused, with the reason and the place", () => {
  const message = body(0x92, str(ID), bin("a"));
  it.each([
    ["nothing", hex(""), /too early/],
    ["a number", hex("01"), /list of messages is not a list/],
    ["a text", str("hello"), /not a list/],
    ["a count without messages", hex("dd ffffffff"), /too short for its 4294967295 messages/],
    ["a count that is cut off", hex("dc 00"), /too early/],
    ["a message that is a number", hex("91 01 000000"), /a message is not a list \(byte 1\)/],
    ["a message of one part", body(0x91, 0x91, str(ID)), /a message of 1 parts/],
    ["a message of four parts", body(0x91, 0x94, str(ID), bin("a"), 0x80, 0xc0), /a message of 4 parts/],
    ["an id that is a number", body(0x91, 0x92, 7, bin("abc")), /the id is not text/],
    ["an id that is cut off", body(0x91, 0x92, str(ID).subarray(0, 20)), /too early/],
    ["a payload that is nil", body(0x91, 0x92, str(ID), 0xc0, 0xc0), /the payload is not bytes/],
    ["a payload longer than the frame", body(0x91, 0x92, str(ID), hex("c6 ffffffff 00")), /too early/],
    ["a payload whose length is cut off", body(0x91, 0x92, str(ID), hex("c6 00")), /too early/],
    ["a payload of large numbers", body(0x91, 0x92, str(ID), hex("91 cd0100")), /something other than bytes/],
    ["a list of numbers longer than the frame", body(0x91, 0x92, str(ID), hex("dd ffffffff 01")), /too early/],
    ["metadata that is a list", body(0x91, 0x93, str(ID), bin("a"), 0x90), /the metadata is not a map/],
    ["a number in the metadata", body(0x91, 0x93, str(ID), bin("a"), 0x81, str("k"), 1), /the metadata is not text/],
    ["metadata longer than the frame", body(0x91, 0x93, str(ID), bin("a"), hex("df ffffffff")), /too early/],
    ["a map without an id", body(0x91, 0x81, str("payload"), bin("abc")), /without message_id/],
    ["a map without a payload", body(0x91, 0x81, str("message_id"), str(ID)), /without payload/],
    ["a map with a name that is a number", body(0x91, 0x81, 1, bin("abc")), /name of a part is not text/],
    ["a value of no type", body(0x91, 0x83, str("x"), 0xc1, str("message_id"), str(ID)), /0xc1 begins no value/],
    ["bytes behind the messages", body(0x91, message, 0), /1 bytes are left over/],
  ])("%s", (_, frame, reason) => {
    expect(() => read(frame)).toThrow(FrameFault);
    expect(() => read(frame)).toThrow(reason);
  });

  it("a frame cut off at any place", () => {
    const whole = body(
      0x92,
      0x93,
      str(ID),
      bin("abc"),
      0x81,
      str("k"),
      str("v"),
      0x82,
      str("message_id"),
      str(ID),
      str("payload"),
      hex("92 01 cc80"),
    );
    expect(read(whole).length).toBe(2);
    for (let length = 0; length < whole.length; length++) {
      expect(() => read(whole.subarray(0, length)), `${length} bytes`).toThrow(FrameFault);
    }
  });

  it("deep nesting costs no stack", () => {
    const deep = body(0x91, 0x81, str("x"), Buffer.alloc(1_000_000, 0x91), 0xc0);
    expect(() => read(deep)).toThrow(/without message_id/);
  });

  it("random bytes and random changes are read or refused, and nothing else happens", () => {
    const random = seeded(7);
    const good = body(
      0x93,
      0x93,
      str(ID),
      bin("abc"),
      0x81,
      str("k"),
      str("v"),
      message,
      0x82,
      str("message_id"),
      str(ID),
      str("payload"),
      hex("92 01 cc80"),
    );
    let taken = 0;
    for (let round = 0; round < 4000; round++) {
      const bytes =
        round % 2 === 0 ? Buffer.from(good) : Buffer.from(Array.from({ length: random(40) }, () => random(256)));
      for (let changes = random(3); changes > 0 && bytes.length > 0; changes--)
        bytes[random(bytes.length)] = random(256);
      try {
        const batch = read(bytes);
        shown(batch);
        new FrameWriter().write(batch, 0, batch.length);
        taken++;
      } catch (error) {
        if (!(error instanceof FrameFault)) throw error;
      }
    }
    expect(taken).toBeGreaterThan(500);
  });
});

/** Numbers from 0 up to a bound, the same for the same seed. */
function seeded(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
