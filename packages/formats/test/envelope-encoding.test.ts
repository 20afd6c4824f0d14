import { batchOf, codeOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { createEncoder } from "../src/index.ts";
import { decodeAll, payloads, written } from "./support.ts";

const LF = Buffer.from("\n");
const ID = "00000000-0000-4000-8000-000000000001";

function message(payload: string | Uint8Array, metadata: Record<string, string> = {}): Message {
  return new Message(payload, new Map(Object.entries(metadata)), ID);
}

function line(format: "normal" | "json" | "text", one: Message, delimiter: Uint8Array = LF): string {
  return written(createEncoder(format, delimiter).encode(batchOf([one])));
}

describe("envelopes", () => {
  it("of `normal` leave empty metadata out, those of `json` and `text` do not", () => {
    expect(line("normal", message("x"))).toBe(`{"message_id":"${ID}","payload":"x"}\n`);
    expect(line("text", message("x"))).toBe(`{"message_id":"${ID}","payload":"x","metadata":{}}\n`);
    expect(line("json", message("1"))).toBe(`{"message_id":"${ID}","payload":1,"metadata":{}}\n`);
  });

  it("escape text as JSON does and nothing more", () => {
    expect(line("normal", message('"\\/\b\t\u0001é\u2028', { 'k"': "v\n" }))).toBe(
      `{"message_id":"${ID}","payload":"\\"\\\\/\\b\\t\\u0001é\u2028","metadata":{"k\\"":"v\\n"}}\n`,
    );
  });

  it("write what is not UTF-8 in base64, in `text` and `json` as an array with the mark", () => {
    const binary = Buffer.from([0, 255]);
    expect(line("normal", message(binary, { k: "v" }))).toBe(
      `{"message_id":"${ID}","payload_base64":"AP8=","metadata":{"k":"v"}}\n`,
    );
    const marked = `{"message_id":"${ID}","payload":[0,255],"metadata":{"k":"v","mq_bridge.payload_bytes":"1"}}\n`;
    expect(line("text", message(binary, { k: "v" }))).toBe(marked);
    expect(line("json", message(binary, { k: "v" }))).toBe(marked);
  });

  it("keep the digits of a JSON payload, and make one line of one with line breaks", () => {
    expect(line("json", message(' {"a": 1.0, "b": 12345678901234567890} '))).toContain(
      '"payload":{"a": 1.0, "b": 12345678901234567890},',
    );
    expect(line("json", message('{\n  "a": "x y",\r\n  "b": [ 1 ]\n}'))).toContain('"payload":{"a":"x y","b":[1]},');
  });

  it("write a payload that is not JSON as an array in `json`", () => {
    expect(line("json", message("01"))).toContain('"payload":[48,49],');
    expect(line("json", message(""))).toContain('"payload":[],');
  });

  it("leave source positions out", () => {
    expect(line("normal", message("x", { "mqb.src.file_path": "y", k: "v" }))).toContain('"metadata":{"k":"v"}');
    expect(line("normal", message("x", { "mqb.src.file_path": "y" }))).not.toContain("metadata");
  });

  it("refuse only the message whose metadata has no UTF-8 form", () => {
    const { chunks, refused } = createEncoder("normal", LF).encode(
      batchOf([message("a"), message("b", { k: "\ud800" }), message("c")]),
    );
    expect(refused.map(({ index, error }) => [index, codeOf(error)])).toEqual([[1, "MQB_FORMATS_LONE_SURROGATE"]]);
    expect(Buffer.concat(chunks).toString().split("\n")).toHaveLength(3);
  });

  it("give a fresh id to a message that came without", () => {
    const text = written(createEncoder("normal", LF).encode(batchOf([new Message("x")])));
    expect(text).toMatch(/^\{"message_id":"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/);
  });

  it("grow beyond what was guessed", () => {
    const long = message("x".repeat(10), { k: "v".repeat(100_000) });
    const text = written(createEncoder("normal", LF).encode(batchOf([long, message("\u0001".repeat(50_000)), long])));
    expect(
      text
        .split("\n")
        .slice(0, 3)
        .map((record) => JSON.parse(record).payload.length),
    ).toEqual([10, 50_000, 10]);
  });

  it.each(["normal", "json", "text"] as const)("in %s come back as they were", (format) => {
    const sent = ["", "plain", '{"a":1}', "line\nbreak", "ünï😀", "\u0000", '"', "[1,2]"].map((text, n) =>
      message(text, n % 2 ? { k: `${n}` } : {}),
    );
    const binary = message(Buffer.from([0xff, 0xfe, 10, 0]));
    const bytes = Buffer.concat(createEncoder(format, LF).encode(batchOf([...sent, binary])).chunks);
    for (const size of [1, 7, 1 << 20]) {
      const batches = decodeAll(bytes, { format }, size);
      expect(payloads(batches)).toEqual([...sent, binary].map((one) => one.text()));
      expect(batches.flatMap(({ batch }) => Array.from({ length: batch.length }, (_, i) => batch.id(i)))).toEqual(
        Array(sent.length + 1).fill(ID),
      );
      expect(batches.flatMap(({ batch }) => [...batch].map((one) => one.metadata.get("k")))).toEqual(
        [...sent, binary].map((one) => one.metadata.get("k")),
      );
    }
  });
});

describe("a delimiter that is not a line feed", () => {
  it.each(["}}", "}}}", '"}"}'])("%j, which would end a record too early, refuses it", (text) => {
    const { chunks, refused } = createEncoder("normal", Buffer.from(text)).encode(batchOf([new Message("a")]));
    expect([chunks.length, codeOf(refused[0]?.error)]).toEqual([0, "MQB_FORMATS_DELIMITER_IN_SYNTAX"]);
  });

  it("is escaped where it occurs in a string", () => {
    const text = line("normal", message("a|b", { "k|": "|" }), Buffer.from("|"));
    expect(text).toBe(`{"message_id":"${ID}","payload":"a\\u007cb","metadata":{"k\\u007c":"\\u007c"}}|`);
    expect(payloads(decodeAll(text, { format: "normal", delimiter: Buffer.from("|") }))).toEqual(["a|b"]);
  });

  it("of several bytes is broken up where it occurs", () => {
    const text = line("normal", message("a###b"), Buffer.from("##"));
    expect(text.slice(0, -2)).not.toContain("##");
    expect(payloads(decodeAll(text, { format: "normal", delimiter: Buffer.from("##") }))).toEqual(["a###b"]);
  });

  it("that JSON needs fails the message, not the batch", () => {
    const encoder = createEncoder("json", Buffer.from(","));
    const { chunks, refused } = encoder.encode(batchOf([message("[1,2]")]));
    expect(codeOf(refused[0]!.error)).toBe("MQB_FORMATS_DELIMITER_IN_SYNTAX");
    expect(chunks).toEqual([]);
  });

  it("NUL never occurs in JSON", () => {
    expect(line("normal", message("a\0b"), Buffer.of(0))).toContain('"payload":"a\\u0000b"}\0');
  });
});
