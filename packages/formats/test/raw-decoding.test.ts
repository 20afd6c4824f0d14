import { codeOf } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { decodeAll, decoder, payloads } from "./support.ts";

describe("raw records", () => {
  it("are what stands between line feeds, with one carriage return dropped and empty ones passed over", () => {
    expect(payloads(decodeAll("a\r\n\nb\n\r\n  c  \nlast", {}))).toEqual(["a", "b", "  c  ", "last"]);
  });

  it("carry the mark that they were no envelope, once for the whole batch", () => {
    const [decoded] = decodeAll("a\n", {});
    expect([...decoded!.batch.shared!]).toEqual([["mq_bridge.original_format", "raw"]]);
  });

  it("lose a byte-order mark at the start of the stream only", () => {
    expect(payloads(decodeAll("\ufeffa\n\ufeffb\n", {}))).toEqual(["a", "\ufeffb"]);
    expect(payloads(decodeAll("\ufeffa\n", { offset: 7 }))).toEqual(["\ufeffa"]);
  });

  it.each([["|"], ["##"], ["\r\n"], ["\0"]])("end at the delimiter %j", (delimiter) => {
    const input = ["a\nb", "c"].join(delimiter);
    expect(payloads(decodeAll(input, { delimiter: Buffer.from(delimiter) }, 2))).toEqual(["a\nb", "c"]);
  });

  it("are the same however the stream is cut into chunks", () => {
    const input = "first\nsecond ünï\r\n\nlast one";
    const whole = payloads(decodeAll(input, {}));
    for (let size = 1; size < input.length; size++)
      expect(payloads(decodeAll(input, {}, size)), `${size}`).toEqual(whole);
  });

  it("keep NUL and ill-formed UTF-8 as they are", () => {
    const [decoded] = decodeAll(Buffer.from([0, 255, 254, 10]), {});
    expect([...decoded!.batch.payload(0)]).toEqual([0, 255, 254]);
  });

  it("tell the offset behind each", () => {
    const [decoded] = decodeAll("a\n\nbb\n", {});
    expect([decoded!.offsetAfter(0), decoded!.offsetAfter(1)]).toEqual([2, 6]);
  });

  it("that are UTF-16 are refused before the first one", () => {
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("ab\n", "utf16le")]);
    expect(() => decodeAll(utf16, {})).toThrow(expect.objectContaining({ code: "MQB_FORMATS_UTF16" }));
  });

  it("that are too long end the stream after the records before, with their offset", () => {
    const reader = decoder({ maxMessageBytes: 4 });
    reader.feed(Buffer.from("ab\ntoo long\ncd\n"));
    expect(reader.take(10)!.batch.length).toBe(1);
    expect(() => reader.take(10)).toThrow(/in\.dat, byte 3: .* longer than 4 bytes/);
  });

  it("that are too long are reported and passed over when that is asked for", () => {
    const batches = decodeAll("ab\ntoo long\ncd\n", { maxMessageBytes: 4, onOversize: "skip" });
    expect(payloads(batches)).toEqual(["ab", "cd"]);
    expect(batches.find((one) => one.oversize)?.oversize).toMatchObject({ offset: 3, size: 8 });
  });

  it("are stamped by the source when somebody looks at their metadata", () => {
    const reader = decoder({});
    reader.feed(Buffer.from("a\nb\n"));
    const { batch } = reader.take(2, (index, offset, into) => into.set("at", `${index}/${offset}`))!;
    expect(Object.fromEntries(batch.metadata(1))).toEqual({ "mq_bridge.original_format": "raw", at: "1/4" });
  });

  it("throw coded errors", () => {
    try {
      decodeAll("too long\n", { maxMessageBytes: 2 });
      expect.unreachable();
    } catch (error) {
      expect(codeOf(error)).toBe("MQB_FORMATS_RECORD_TOO_LONG");
    }
  });
});
