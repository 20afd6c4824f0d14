import { describe, expect, it } from "vitest";
import { hashId, idFromBigInt, idFromBytes, idFromText, idToBytes } from "../../src/message/id.ts";

const UUID = "0123abcd-4567-89ef-0123-456789abcdef";

describe("an id written by somebody else", () => {
  it.each([
    ["hyphenated", UUID],
    ["in upper case", UUID.toUpperCase()],
    ["as 32 hex digits", UUID.replaceAll("-", "")],
    ["in braces", `{${UUID}}`],
    ["as a URN", `urn:uuid:${UUID}`],
    ["as 0x hex", `0x${UUID.replaceAll("-", "")}`],
    ["as decimal digits", BigInt(`0x${UUID.replaceAll("-", "")}`).toString()],
    ["as decimal digits after zeros", `000000000000000000${BigInt(`0x${UUID.replaceAll("-", "")}`)}`],
  ])("is the same UUID %s", (_, text) => {
    expect(idFromText(text)).toBe(UUID);
  });

  it("is a number of 128 bits when it is short", () => {
    expect(idFromText("0")).toBe("00000000-0000-0000-0000-000000000000");
    expect(idFromText("42")).toBe("00000000-0000-0000-0000-00000000002a");
    expect(idFromText("0xff")).toBe("00000000-0000-0000-0000-0000000000ff");
    expect(idFromText("340282366920938463463374607431768211455")).toBe("ffffffff-ffff-ffff-ffff-ffffffffffff");
  });

  it.each([
    ["a number of more than 128 bits", "340282366920938463463374607431768211456"],
    ["a negative number", "-1"],
    ["a fraction", "1.5"],
    ["hex of more than 128 bits", `0x1${"0".repeat(32)}`],
    ["an open brace", `{${UUID}`],
    ["a closing brace", `${UUID}}`],
    ["a URN in braces", `{urn:uuid:${UUID}}`],
    ["braces around 32 digits", `{${UUID.replaceAll("-", "")}}`],
    ["hyphens in other places", "0123abcd4567-89ef-0123-456789abcdef"],
    ["an object id", "507f1f77bcf86cd799439011"],
    ["a word", "order-17"],
    ["nothing", ""],
    ["a text with space around", ` ${UUID}`],
  ])("is hashed when it is %s", (_, text) => {
    expect(idFromText(text)).toBe(hashId(text));
  });
});

describe("the hash of a text", () => {
  // The test vectors of the FNV reference for 128 bits.
  it.each([
    ["", "6c62272e-07bb-0142-62b8-21756295c58d"],
    ["a", "d228cb69-6f1a-8caf-7891-2b704e4a8964"],
    ["foobar", "343e1662-793c-64bf-6f0d-3597ba446f18"],
  ])("is FNV-1a for %j", (text, id) => {
    expect(hashId(text)).toBe(id);
  });

  it("is over the UTF-8 bytes", () => {
    expect(hashId("ä")).not.toBe(hashId("\xe4\0"));
    expect(hashId("ä")).toBe(idFromBigInt(fnv(Uint8Array.of(0xc3, 0xa4))));
  });
});

describe("ids as numbers and bytes", () => {
  it("go there and back", () => {
    expect(idFromBytes(idToBytes(UUID))).toBe(UUID);
    expect(idFromBigInt(BigInt(`0x${UUID.replaceAll("-", "")}`))).toBe(UUID);
  });

  it("are refused outside of 128 bits", () => {
    expect(() => idFromBigInt(-1n)).toThrow(RangeError);
    expect(() => idFromBigInt(1n << 128n)).toThrow(RangeError);
    expect(() => idFromBytes(new Uint8Array(15))).toThrow(TypeError);
  });
});

function fnv(bytes: Uint8Array): bigint {
  const mask = 2n ** 128n - 1n;
  let hash = 0x6c62272e07bb014262b821756295c58dn;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * (2n ** 88n + 0x13bn)) & mask;
  return hash;
}
