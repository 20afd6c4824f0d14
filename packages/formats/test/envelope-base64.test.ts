import { describe, expect, it } from "vitest";
import { decodeAll } from "./support.ts";

const ID = "00000000-0000-4000-8000-000000000001";
const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const line = (value: string, rest = "") => `{"message_id":"${ID}","payload_base64":${value}${rest}}\n`;
/** Not recognised by its first bytes, and so parsed. */
const parsed = (value: string, rest = "") => ` ${line(value, rest)}`;

function read(text: string) {
  return decodeAll(text, { format: "normal", maxMessageBytes: 1 << 20 }, 1 << 20, 1000).flatMap(({ batch }) =>
    Array.from(batch, ({ id, payload, metadata }) => ({
      id: metadata.has("mq_bridge.original_format") ? "fresh" : id,
      payload: Buffer.from(payload).toString("hex"),
      metadata: [...metadata],
    })),
  );
}

const VALUES = {
  ...Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `${n} bytes`,
      JSON.stringify(every.subarray(200 - n, 200).toString("base64")),
    ]),
  ),
  "all byte values": JSON.stringify(every.toString("base64")),
  "no padding": '"AP8"',
  "too much padding": '"AP8=="',
  "padding within": '"AP8=AP8="',
  "padding alone": '"===="',
  "three of padding": '"A==="',
  "bits left over behind one byte": '"AB=="',
  "bits left over behind two bytes": '"AAF="',
  "letters of URLs": '"-_-_"',
  "a blank": '"AP 8"',
  "an escaped slash": '"AP8\\/"',
  "an escape for a letter": '"\\u0041P8="',
  "a quote within": '"AP8=","payload_base64":"AP8="',
  "a character that is not ASCII": '"AP8é"',
  "a number": "12",
  null: "null",
};

describe("payloads in base64, in our own spelling", () => {
  it.each(Object.entries(VALUES))("mean what they mean in any other: %s", (_, value) => {
    for (const rest of ["", ',"metadata":{"k":"v"}']) {
      const [expected] = read(parsed(value, rest));
      const [got] = read(line(value, rest));
      // A record that is none is the payload as a whole, with the blank before it.
      const blank = expected!.id === "fresh" ? "20" : "";
      expect({ ...got, payload: blank + got!.payload }).toEqual(expected);
    }
  });

  it("stand beside texts and other records, each at its place", () => {
    const records = [
      line('"/wA="'),
      `{"message_id":"${ID}","payload":"text"}\n`,
      line('"AQ=="', ',"metadata":{"k":"v"}'),
      "no envelope\n",
      line('"A"'),
      parsed('"Ag=="'),
      `{"message_id":"${ID}","payload":"\\n"}\n`,
      line('""'),
    ];
    const together = read(records.join(""));
    expect(together).toEqual(records.flatMap((record) => read(record)));
    expect(together.map(({ payload }) => payload).slice(0, 3)).toEqual(["ff00", "74657874", "01"]);
  });
});
