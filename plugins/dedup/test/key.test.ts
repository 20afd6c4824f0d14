import { batchOf, Message, type MessageBatch } from "@mqb/core/plugin";
import { slabOf } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { KeyHash } from "../src/key/hash.ts";
import { KeyReader } from "../src/key/reader.ts";
import type { KeyText } from "../src/key/template.ts";

const SEED = new Uint8Array(16);
const ID = "00000000-0000-4000-8000-000000000001";

/** The hash of a message's key; undefined when it goes by its id. */
function keyOf(key: KeyText | undefined, message: Message | MessageBatch, env = {}): string | undefined {
  const hash = new KeyHash(SEED);
  const reader = new KeyReader(key, hash, env);
  const batch = message instanceof Message ? batchOf([message]) : message;
  reader.begin(batch);
  return reader.read(0) ? [...hash.words].join(" ") : undefined;
}

const of = (payload: string, metadata = {}) => new Message(payload, new Map(Object.entries(metadata)), ID);
const same = (key: KeyText, ...payloads: string[]) => new Set(payloads.map((one) => keyOf(key, of(one)))).size === 1;

describe("a key that is one field of the payload", () => {
  const key = "${payload:k}";

  it("is the text of a string and the spelling of everything else, wherever it stands", () => {
    expect(same(key, '{"k":1}', '{"k":"1"}', '{ "a" : {"k":2}, "k" : 1 }', '{"k":0,"k":1}')).toBe(true);
    expect(same(key, '{"k":"a/b"}', '{"k":"a\\/b"}', '{"k":"\\u0061/b"}', '{"\\u006b":"a/b"}')).toBe(true);
    expect(same(key, '{"k":"é"}', '{"k":"\\u00e9"}')).toBe(true);
    expect(same(key, '{"k":1}', '{"k":1.0}')).toBe(false);
    expect(same(key, '{"k":true}', '{"k":"true"}')).toBe(true);
    expect(same(key, '{"k":""}', '{"k":" "}')).toBe(false);
  });

  it("is the same in a slab and in a message, whatever stands before and behind it", () => {
    const payloads = [
      '{"n":1,"k":"x"}',
      '{"k":"x","n":{"k":"y"}}',
      '{"n":{"k":"y"},"k":"x"}',
      '{"k":"y","k":"x"}',
      '{"k":"y","\\u006b":"x"}',
      '{"note":"\\"k\\":1","k":"x"}',
      '{"k":"\\u0078"}',
      '{"k":null}',
      '{"k":"x"',
      '{"n":"k","m":1}',
      ' {\n"k" : "x" } ',
      "plain",
      "",
    ];
    const messages = payloads.map((payload) => of(payload));
    const hash = new KeyHash(SEED);
    const reader = new KeyReader(key, hash, {});
    reader.begin(slabOf(messages));
    const inSlab = messages.map((_, at) => (reader.read(at) ? [...hash.words].join(" ") : undefined));
    expect(inSlab).toEqual(messages.map((message) => keyOf(key, message)));
    expect(new Set(inSlab.slice(0, 4)).size).toBe(1);
  });

  it.each(["{}", '{"k":null}', "plain", "", "[1]", '{"k":1', '{"K":1}', '{"a":{"k":1}}'])(
    "is missing in %s",
    (payload) => {
      expect(keyOf(key, of(payload))).toBeUndefined();
    },
  );

  it("may be nested, and a number is a key or a position", () => {
    expect(same("${payload:a.0.b}", '{"a":[{"b":1}]}', '{"a":{"0":{"b":1}}}')).toBe(true);
    expect(keyOf("${payload:a.1}", of('{"a":[1]}'))).toBeUndefined();
    expect(same("${payload:__proto__.constructor}", '{"__proto__":{"constructor":"x"}}')).toBe(true);
  });
});

describe("a key of several parts", () => {
  it("is their text, with what stands between", () => {
    const key = "${payload:a}-${metadata:m}";
    expect(keyOf(key, of('{"a":1}', { m: "2" }))).toBe(keyOf("${message:payload}", of("1-2")));
    expect(keyOf(key, of('{"a":1}'))).toBeUndefined();
  });

  it("takes the environment, the id, and base64", () => {
    expect(keyOf("${env:E}/${message:id}", of("x"), { E: "e" })).toBe(keyOf("${message:payload}", of(`e/${ID}`)));
    expect(keyOf("${payload:a | base64}", of('{"a":"hi"}'))).toBe(keyOf("${message:payload}", of("aGk=")));
  });

  it("as a list is the same only where every part is", () => {
    const key = ["${payload:a}", "${payload:b}"];
    const payloads = [
      '{"a":"x|y","b":"z"}',
      '{"a":"x","b":"y|z"}',
      '{"a":"null","b":"z"}',
      '{"a":"","b":"z"}',
      '{"a":"x","b":""}',
    ];
    expect(new Set(payloads.map((one) => keyOf(key, of(one)))).size).toBe(payloads.length);
    for (const missing of ['{"a":null,"b":"z"}', '{"b":"z"}']) expect(keyOf(key, of(missing))).toBeUndefined();
    expect(keyOf(["${payload:a}"], of('{"a":1}'))).not.toBe(keyOf("${payload:a}", of('{"a":1}')));
  });
});

describe("the message id as key", () => {
  it("is the default, and what a message without the key goes by", () => {
    const hash = new KeyHash(SEED);
    const read = (key: KeyText | undefined, message: Message) => {
      const reader = new KeyReader(key, hash, {});
      reader.begin(batchOf([message]));
      reader.read(0);
      return [...hash.words].join(" ");
    };
    expect(read(undefined, of("a"))).toBe(read("${payload:k}", of("b")));
    expect(read(undefined, of("a"))).not.toBe(read(undefined, new Message("a")));
    expect(read(undefined, of("a")), "no value of a field can stand for an id").not.toBe(
      read("${payload:k}", of(`{"k":"${ID}"}`)),
    );
  });
});
