import { describe, expect, it } from "vitest";
import { codeOf, inspectable } from "./inspecting.ts";
import {
  bulk,
  CIPHERS,
  KEY,
  linesOf,
  listOf,
  type Options,
  OTHER_KEY,
  opener,
  openOne,
  sealOne,
  texts,
} from "./sealing.ts";

const SECRET = "attack at dawn, 4711";
const KEY_HEX = Buffer.from(KEY, "base64").toString("hex");
const METADATA = new Map([
  ["tenant", "t1"],
  ["empty", ""],
]);
const BOUND = { authenticate_metadata: ["tenant", "missing", "empty"] };

/** Of whatever is wrong with it: nothing comes out, and what is said shows neither key nor payload. */
function refused(envelope: Uint8Array, options: Options = {}, metadata?: ReadonlyMap<string, string>): string {
  const [one, other] = [bulk, undefined].map((by) => {
    const { batch, kept, failure } = opener(options, by).open(listOf([envelope], metadata));
    const shown = inspectable(failure);
    const told = [SECRET, KEY, OTHER_KEY, KEY_HEX].filter((secret) => shown.includes(secret));
    return [codeOf(failure), batch.length, kept?.length, ...told].join();
  });
  expect(one).toBe(other);
  const [code, ...more] = one!.split(",");
  expect(more).toEqual(["0", "0"]);
  return code!;
}

describe.each(CIPHERS)("an envelope of %s", (cipher) => {
  it.each([
    ["version 1", {}],
    ["version 2", BOUND],
  ])("of which any byte is another is not opened: %s", (_, more) => {
    const options = { cipher, ...more };
    const envelope = sealOne(SECRET, options, METADATA);
    const codes = new Set<string>();
    for (let at = 0; at < envelope.length; at++) {
      const changed = Buffer.from(envelope);
      changed[at]! ^= 1 << (at & 7);
      codes.add(refused(changed, options, METADATA));
    }
    expect([...codes].sort()).toEqual([
      "MQB_ENCRYPTION_NOT_AUTHENTIC",
      "MQB_ENCRYPTION_NOT_SEALED",
      "MQB_ENCRYPTION_UNKNOWN_KEY",
    ]);
  });

  it("that is cut off anywhere, or has something behind it, is not opened", () => {
    const envelope = sealOne(SECRET, { cipher });
    for (let length = 0; length < envelope.length; length++) refused(envelope.subarray(0, length), { cipher });
    expect(refused(envelope.subarray(0, 12), { cipher })).toBe("MQB_ENCRYPTION_NOT_SEALED");
    expect(refused(Buffer.concat([envelope, Buffer.alloc(1)]), { cipher })).toBe("MQB_ENCRYPTION_NOT_AUTHENTIC");
  });

  it("of another key is not opened", () => {
    expect(refused(sealOne(SECRET, { cipher }), { cipher, key: OTHER_KEY })).toBe("MQB_ENCRYPTION_NOT_AUTHENTIC");
    expect(refused(sealOne(SECRET, { cipher, key_id: "new" }), { cipher })).toBe("MQB_ENCRYPTION_UNKNOWN_KEY");
  });

  it("that claims the other cipher is not opened", () => {
    const envelope = sealOne(SECRET.repeat(3), { cipher });
    envelope[1]! ^= 1;
    expect(refused(envelope, { cipher })).toBe("MQB_ENCRYPTION_NOT_AUTHENTIC");
  });

  it.each([
    [
      "changed",
      [
        ["tenant", "t2"],
        ["empty", ""],
      ],
    ],
    ["removed", [["empty", ""]]],
    [
      "added",
      [
        ["tenant", "t1"],
        ["empty", ""],
        ["missing", ""],
      ],
    ],
    [
      "swapped",
      [
        ["tenant", ""],
        ["empty", "t1"],
      ],
    ],
    [
      "moved from one value to the next",
      [
        ["tenant", "t"],
        ["empty", "1"],
      ],
    ],
  ] as const)("whose bound metadata was %s is not opened", (_, entries) => {
    const options = { cipher, ...BOUND };
    expect(refused(sealOne(SECRET, options, METADATA), options, new Map(entries))).toBe("MQB_ENCRYPTION_NOT_AUTHENTIC");
  });

  it("binds the keys in their order, and no others", () => {
    const envelope = sealOne(SECRET, { cipher, ...BOUND }, METADATA);
    const swapped = { cipher, authenticate_metadata: ["empty", "tenant", "missing"] };
    expect(refused(envelope, swapped, METADATA)).toBe("MQB_ENCRYPTION_NOT_AUTHENTIC");
    const more = new Map([...METADATA, ["other", "x"]]);
    expect(texts(openOne(envelope, { cipher, ...BOUND }, more).batch)).toEqual([SECRET]);
  });

  it("that is bound to metadata needs the list, and one that is not is refused with it", () => {
    const bound = { cipher, ...BOUND };
    expect(refused(sealOne(SECRET, bound, METADATA), { cipher }, METADATA)).toBe("MQB_ENCRYPTION_METADATA_BOUND");
    expect(refused(sealOne(SECRET, { cipher }), bound, METADATA)).toBe("MQB_ENCRYPTION_METADATA_NOT_BOUND");
  });
});

describe("what is no envelope", () => {
  it.each([
    ["nothing", ""],
    ["text", "just a line of text that is long enough to be one"],
    ["JSON", '{"n":1}'],
    ["the start of one", "\u0001\u0000\u0007default"],
    ["one of a later version", `\u0003\u0000\u0007default${"x".repeat(60)}`],
    ["one of a cipher that there is not", `\u0001\u0002\u0007default${"x".repeat(60)}`],
  ])("is told from one: %s", (_, payload) => {
    expect(refused(Buffer.from(payload))).toBe("MQB_ENCRYPTION_NOT_SEALED");
  });

  it("does not get into an error as the name of a key", () => {
    const text = `\u0001\u0000\u0014${SECRET}${"x".repeat(60)}`;
    expect(refused(Buffer.from(text))).toBe("MQB_ENCRYPTION_UNKNOWN_KEY");
  });
});

it("takes out of a batch what cannot be opened, and nothing else", () => {
  const bad = sealOne("bad");
  bad[bad.length - 1]! ^= 1;
  const envelopes = [sealOne("a"), bad, sealOne("b"), Buffer.from("no envelope"), sealOne("c"), Buffer.alloc(0)];
  for (const batch of [listOf(envelopes), linesOf(envelopes)]) {
    for (const by of [bulk, undefined]) {
      const { batch: opened, kept, failure } = opener({}, by).open(batch);
      expect(texts(opened)).toEqual(["a", "b", "c"]);
      expect([...kept!]).toEqual([0, 2, 4]);
      expect([0, 1, 2].map((index) => opened.id(index))).toEqual([0, 2, 4].map((index) => batch.id(index)));
      expect(codeOf(failure)).toBe("MQB_ENCRYPTION_NOT_AUTHENTIC");
    }
  }
});
