import { codeOf, isMqbError, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { packedMessage } from "../pack/setup.ts";
import { unpacked } from "./setup.ts";

const FORMATS = ["mqb", "benthos_binary"] as const;
const some = [
  new Message(
    "one",
    new Map([
      ["key", "value"],
      ["ü", "ö"],
    ]),
  ),
  new Message(""),
  new Message("x".repeat(130), new Map([["k", ""]])),
];

/** The code of what is wrong, below that of the message; undefined when it was taken. */
async function refusal(payload: Uint8Array, format: (typeof FORMATS)[number]): Promise<string | undefined> {
  try {
    await unpacked(payload, { format });
    return undefined;
  } catch (error) {
    if (!isMqbError(error) || error.code !== "MQB_STANDARD_UNPACK_FAILED") throw error;
    return codeOf(error.cause);
  }
}

const MALFORMED = "MQB_STANDARD_UNPACK_MALFORMED";
const mqb = (...rest: number[]) => Buffer.from([...Buffer.from("MQB1"), 1, 0, ...rest]);

describe.each(FORMATS)("a packed message of the format %s", (format) => {
  it("is refused when it is cut off anywhere", async () => {
    const { payload } = await packedMessage(some, { format });
    for (let length = 0; length < payload.length; length++)
      expect(await refusal(payload.subarray(0, length), format), `cut to ${length}`).toBe(MALFORMED);
  });

  it("is refused when bytes follow", async () => {
    const { payload } = await packedMessage(some, { format });
    expect(await refusal(Buffer.concat([payload, Buffer.alloc(1)]), format)).toBe(MALFORMED);
  });

  it("gives messages within its bytes or a coded error, whatever byte is changed", async () => {
    const { payload } = await packedMessage(some, { format });
    for (let at = 0; at < payload.length; at++) {
      for (const value of [0, 127, 255, payload[at]! ^ 1]) {
        const changed = Buffer.from(payload);
        changed[at] = value;
        const code = await refusal(changed, format);
        if (code === undefined) {
          for (const message of await unpacked(changed, { format })) {
            expect(message.payload.length).toBeLessThanOrEqual(payload.length);
            for (const [key] of message.metadata) expect(typeof key).toBe("string");
          }
        } else expect(code).toMatch(/^MQB_STANDARD_UNPACK_(MALFORMED|VERSION)$/);
      }
    }
  });
});

describe("numbers that promise too much", () => {
  it.each([
    ["a count of 2^32 - 1 in 4 bytes", "benthos_binary", Buffer.from("ffffffff", "hex")],
    ["a payload of 4 GiB", "benthos_binary", Buffer.from("00000001ffffffff", "hex")],
    ["a count of 2^63", "mqb", mqb(0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)],
    ["a count without end", "mqb", mqb(0, 0, ...new Array<number>(20).fill(0xff))],
    ["a payload of 2^35 bytes", "mqb", mqb(0, 0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)],
    ["2^28 metadata pairs", "mqb", mqb(1, 0, 1, 0, 0x80, 0x80, 0x80, 0x80, 0x01)],
    ["more messages than ids fit", "mqb", mqb(2, 0, 3, ...new Array<number>(40).fill(0))],
  ] as const)("are refused before memory is taken: %s", async (_, format, bytes) => {
    expect(await refusal(bytes, format)).toBe(MALFORMED);
  });

  it("are taken for what they are when they are written longer than needed", async () => {
    expect((await unpacked(mqb(0, 0, 0x81, 0x00, 0x81, 0x80, 0x00, 0x61))).map((one) => one.text())).toEqual(["a"]);
  });
});

it("metadata that is not UTF-8 is refused, and keys like __proto__ are keys", async () => {
  expect(await refusal(mqb(1, 0, 1, 0, 1, 1, 0xff, 0), "mqb")).toBe(MALFORMED);
  const evil = new Message(
    "a",
    new Map([
      ["__proto__", "x"],
      ["constructor", "y"],
    ]),
  );
  const [got] = await unpacked((await packedMessage([evil])).payload);
  expect([...got!.metadata]).toEqual([...evil.metadata]);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

it("many empty messages in few bytes come in batches of the size that is asked for", async () => {
  const count = 100_000;
  const frame = Buffer.alloc(4 + 4 * count);
  frame.writeUInt32BE(count);
  expect(await unpacked(frame, { format: "benthos_binary" })).toHaveLength(count);
});
