import { describe, expect, it } from "vitest";
import { dedupHeader, headerLines, idHeader, readHeaders } from "../src/wire/headers.ts";

const block = (...lines: string[]): Buffer =>
  Buffer.from(`NATS/1.0\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`);

describe("metadata as headers", () => {
  const withheld: string[] = [];
  const lines = (pairs: [string, string][]): string => headerLines(new Map(pairs), (name) => withheld.push(name));

  it("keeps names, values and blanks as they are", () => {
    expect(
      lines([
        ["UPPER-Case", "U"],
        ["sp", " lead and trail "],
        ["empty", ""],
        ["uni", "grüße €😀"],
      ]),
    ).toBe("UPPER-Case: U\r\nsp:  lead and trail \r\nempty: \r\nuni: grüße €😀\r\n");
  });

  it("does not send what says where a message was read, nor a second id", () => {
    expect(
      lines([
        ["mqb.src.nats_subject", "s"],
        ["mq_bridge.message_id", "x"],
        ["mqb.id", "1"],
      ]),
    ).toBe("mqb.id: 1\r\n");
  });

  it.each<[string, string]>([
    ["a b", "1"],
    ["a:b", "1"],
    ["", "1"],
    ["größe", "1"],
    ["v", "a\r\nX-Admin: 1"],
    ["v", "a\nb"],
  ])("withholds %j: %j, so that it cannot become another header", (name, value) => {
    withheld.length = 0;
    expect(
      lines([
        [name, value],
        ["ok", "1"],
      ]),
    ).toBe("ok: 1\r\n");
    expect(withheld).toEqual([name]);
  });

  it.each(["Nats-Rollup", "Nats-Expected-Last-Sequence", "Nats-TTL"])(
    "withholds the order %s to the stream",
    (name) => {
      withheld.length = 0;
      expect(
        lines([
          [name, "all"],
          ["Nats-Msg-Id", "own"],
        ]),
      ).toBe("Nats-Msg-Id: own\r\n");
      expect(withheld).toEqual([name]);
    },
  );
});

describe("headers as metadata", () => {
  it("joins repeated names, trims values, drops empty ones and tells names apart by case", () => {
    const found = readHeaders(block("r: 1", "r: 2", "R: 3", "sp:   x  ", "empty: ", "noblank:y"));
    expect([...found]).toEqual([
      ["r", "1,2"],
      ["R", "3"],
      ["sp", "x"],
      ["noblank", "y"],
    ]);
  });

  it("does not believe a stranger where a message was read", () => {
    expect([...readHeaders(block("mqb.src.nats_subject: forged", "mqb.id: 1"))]).toEqual([["mqb.id", "1"]]);
  });

  it("reads what no library would write", () => {
    expect([...readHeaders(block("no colon", ": no name", "größe: 7", "__proto__: polluted"))]).toEqual([
      ["größe", "7"],
      ["__proto__", "polluted"],
    ]);
    expect([...readHeaders(Buffer.from("NATS/1.0"))]).toEqual([]);
    expect([...readHeaders(Buffer.from("NATS/1.0 503\r\n\r\n"))]).toEqual([]);
    expect([...readHeaders(Buffer.alloc(0))]).toEqual([]);
  });

  it("finds ids without reading the rest", () => {
    const given = block("a: mq_bridge.message_id: no", "mq_bridge.message_id:  0190aaaa000070008000000000000001 ");
    expect(idHeader(given)).toBe("0190aaaa000070008000000000000001");
    expect(dedupHeader(given)).toBeUndefined();
    expect(dedupHeader(block("Nats-Msg-Id: d1"))).toBe("d1");
  });
});
