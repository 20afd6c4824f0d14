import { Message, NO_METADATA } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { fromFile, toFile } from "../src/convert.ts";

const ID = "0190a6a0-0000-7000-8000-000000000001";

describe("a message as a file", () => {
  it("keeps id, metadata and payload byte for byte", () => {
    const payload = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const metadata = new Map([
      ["a key\nwith a newline", 'a "value"'],
      ["__proto__", "é 😀"],
    ]);
    const back = fromFile("m.msg", toFile(new Message(payload, metadata, ID)));
    expect(Buffer.from(back.payload)).toEqual(Buffer.from(payload));
    expect([...back.metadata]).toEqual([...metadata]);
    expect(back.id).toBe(ID);
  });

  it("keeps an empty payload empty", () => {
    expect(fromFile("m.msg", toFile(new Message("", NO_METADATA, ID))).payload).toHaveLength(0);
  });
});

describe("a file that mqb did not write", () => {
  const foreign = [
    "",
    "no newline",
    "text\npayload",
    "{}\n",
    '{"id":"a"}\n',
    '{"id":"a","metadata":[["k"]]}\n',
    "null\n",
  ];
  it.each(foreign)("is refused with its name: %j", (content) => {
    expect(() => fromFile("odd.msg", Buffer.from(content))).toThrow(
      expect.objectContaining({
        code: "MQB_PIGEONHOLE_BAD_FILE",
        kind: "permanent",
        message: expect.stringContaining("odd.msg"),
      }),
    );
  });
});
