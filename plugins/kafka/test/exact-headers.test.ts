import type { Metadata } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { EXACT_HEADERS } from "../src/wire/names.ts";
import { type Header, headersOf, metadataOf } from "./headers.ts";

const CASES: readonly (readonly [what: string, headers: readonly Header[]])[] = [
  ["bytes that are no text", [["sig", Buffer.of(0, 255, 128)]]],
  ["no value", [["nul", null]]],
  [
    "one name more than once",
    [
      ["tag", Buffer.from("a")],
      ["x", Buffer.from("1")],
      ["tag", Buffer.from("b")],
    ],
  ],
  [
    "the sign for bytes that are no text, and such bytes",
    [
      ["a", Buffer.from("\ufffd")],
      ["b", Buffer.of(255)],
    ],
  ],
  ["a NUL inside of bytes that are no text", [["a", Buffer.of(255, 0, 97)]]],
  [
    "one name with text, null, nothing and bytes",
    [
      ["a", Buffer.from("t")],
      ["a", null],
      ["a", Buffer.of()],
      ["a", Buffer.of(192)],
    ],
  ],
  [
    "a name that every object has",
    [
      ["__proto__", Buffer.of(255)],
      ["constructor", null],
    ],
  ],
];

describe("the headers of a record", () => {
  it.each(CASES)("are the same after a hop: %s", (_, headers) => {
    expect(headersOf(metadataOf(headers))).toEqual(headers);
  });

  it("take no entry of their own where metadata hold all of them", () => {
    const headers: Header[] = [
      ["a", Buffer.from("1")],
      ["e", Buffer.of()],
      ["u", Buffer.from("gr\u00fc\u00dfe \ufffd")],
    ];
    expect([...metadataOf(headers)]).toEqual([
      ["a", "1"],
      ["e", ""],
      ["u", "gr\u00fc\u00dfe \ufffd"],
    ]);
  });

  it("show as text what they are, the last one of a name, and nothing for null", () => {
    const metadata = metadataOf([
      ["sig", Buffer.of(0x61, 255)],
      ["t", Buffer.from("1")],
      ["t", Buffer.from("2")],
      ["n", null],
    ]);
    expect([metadata.get("sig"), metadata.get("t"), metadata.get("n")]).toEqual(["a\ufffd", "2", ""]);
  });

  it("are what a middleware made of them, each in its place and new ones at the end", () => {
    const metadata = new Map(
      metadataOf([
        ["a", Buffer.of(255)],
        ["t", Buffer.from("1")],
        ["gone", null],
        ["t", Buffer.from("2")],
        ["b", Buffer.of(254)],
      ]),
    );
    metadata.set("t", "changed");
    metadata.delete("gone");
    metadata.set("new", "n");
    expect(headersOf(metadata)).toEqual([
      ["a", Buffer.of(255)],
      ["t", Buffer.from("changed")],
      ["b", Buffer.of(254)],
      ["new", Buffer.from("n")],
    ]);
  });

  it.each([
    ["nothing", ""],
    ["an object", "{}"],
    ["a number in a list", "[1]"],
    ["a name alone in a list", '[["a"]]'],
    ["bytes that are a number", '[["a",{"b64":1}]]'],
    ["a deep nest", "[".repeat(100_000)],
  ])("are those of the metadata, and what was kept is one of them, where it is %s", (_, text) => {
    const metadata: Metadata = new Map([
      ["a", "1"],
      [EXACT_HEADERS, text],
    ]);
    expect(headersOf(metadata)).toEqual([
      ["a", Buffer.from("1")],
      [EXACT_HEADERS, Buffer.from(text)],
    ]);
  });

  it("name no reserved entry, whoever wrote what was kept", () => {
    const kept = JSON.stringify([
      ["mqb.src.kafka_topic", "forged"],
      ["mqb.kafka.tombstone", "true"],
      ["a", { b64: "/w==" }],
    ]);
    const metadata: Metadata = new Map([
      ["mqb.src.kafka_topic", "forged"],
      ["a", "\ufffd"],
      [EXACT_HEADERS, kept],
    ]);
    expect(headersOf(metadata)).toEqual([["a", Buffer.of(255)]]);
  });

  it("do not grow from hop to hop: the id is written by a rule of its own", () => {
    const id: Header = ["mq_bridge.message_id", Buffer.from("0".repeat(32))];
    let headers: Header[] = [id, ["sig", Buffer.of(255)]];
    for (let hop = 0; hop < 4; hop++) headers = [id, ...headersOf(metadataOf(headers))];
    expect(headers).toEqual([id, ["sig", Buffer.of(255)], id]);
    for (let hop = 0; hop < 4; hop++) headers = [id, ...headersOf(metadataOf([id, ["a", Buffer.from("1")], id]))];
    expect(metadataOf(headers).has(EXACT_HEADERS)).toBe(false);
  });

  it("of a name that only mqb gives are not read", () => {
    const headers: Header[] = [
      [EXACT_HEADERS, Buffer.from('[["a",{"b64":"/w=="}]]')],
      ["a", Buffer.from("\ufffd")],
    ];
    expect([...metadataOf(headers)]).toEqual([["a", "\ufffd"]]);
  });

  it.each([
    ["many", Array.from({ length: 1001 }, (): Header => ["a", null])],
    ["long", [["a", Buffer.alloc(8 * 1024, 255)] as Header]],
  ])("are what metadata show of them where they are too %s", (_, headers) => {
    expect([...metadataOf(headers).keys()]).toEqual(["a"]);
  });

  it("are those of the metadata where what was kept is longer than what mqb keeps", () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => `${n}`));
    expect(headersOf(new Map([[EXACT_HEADERS, text]]))).toEqual([[EXACT_HEADERS, Buffer.from(text)]]);
  });
});
