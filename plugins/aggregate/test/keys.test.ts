import { describe, expect, it } from "vitest";
import { storedKey } from "../src/key.ts";
import { batchFrom, byK, contextWith, folded, never, opened, results } from "./folding.ts";

const count = { fields: { n: "count" } };
const counts = async (key: string | string[], payloads: readonly string[]): Promise<string[]> =>
  (await results({ ...byK, ...count, key, on_error: "skip" }, payloads)).map(
    (text) => /^\{"n":(\d+)\}$/.exec(text)?.[1] ?? "-",
  );

describe("keys of aggregates", () => {
  it("takes equal numbers for one key, however they are written, and their text too", async () => {
    const keys = ["7", "7.0", "7e0", "70e-1", '"7"'];
    expect(
      await counts(
        "${payload:k}",
        keys.map((k) => `{"k":${k}}`),
      ),
    ).toEqual(["1", "2", "3", "4", "5"]);
    expect(
      await counts(
        "${payload:k}",
        ["0", "-0", "0.0"].map((k) => `{"k":${k}}`),
      ),
    ).toEqual(["1", "2", "3"]);
    const large = ["9007199254740993", "9007199254740992", "1.50", "1.5"];
    expect(
      await counts(
        "${payload:k}",
        large.map((k) => `{"k":${k}}`),
      ),
    ).toEqual(["1", "1", "1", "2"]);
  });

  it("takes nothing for a key: no empty text, nothing that is null or missing", async () => {
    const payloads = ['{"k":""}', '{"k":null}', "{}", '{"k":"null"}', '{"k":""}', '{"k":{"x":1}}', '{"k":true}'];
    expect(await counts("${payload:k}", payloads)).toEqual(["-", "-", "-", "1", "-", "1", "1"]);
  });

  it("makes one key of several values, with the text between them", async () => {
    const payloads = ['{"a":"x|y","b":"z"}', '{"a":"x","b":"y|z"}', '{"a":null,"b":"z"}', '{"a":"x","b":"y|z"}'];
    // A separator that occurs in the values does not part them: that is what lists are for.
    expect(await counts("${payload:a}|${payload:b}", payloads)).toEqual(["1", "2", "-", "3"]);
  });

  it("never takes the values of a list for those of another", async () => {
    const payloads = [
      '{"a":"x|y","b":"z"}',
      '{"a":"x","b":"y|z"}',
      '{"a":null,"b":"z"}',
      '{"a":"null","b":"z"}',
      '{"a":"","b":"z"}',
      '{"b":"z"}',
      '{"a":7,"b":"z"}',
      '{"a":"7","b":"z"}',
      '{"a":7.0,"b":"z"}',
      '{"a":"x\\u007cy","b":"z"}',
    ];
    expect(await counts(["a", "b"], payloads)).toEqual(["1", "1", "1", "1", "1", "-", "1", "1", "2", "2"]);
  });

  it("reads metadata, the id, nested fields and positions of lists", async () => {
    const payloads = ['{"a":{"b":1},"l":[5,6]}', '{"a":{"b":1},"l":[7,6]}'];
    expect(await counts("${payload:a.b}", payloads)).toEqual(["1", "2"]);
    expect(await counts("${payload:l.0}", payloads)).toEqual(["1", "1"]);
    expect(await counts("${message:id}", payloads)).toEqual(["1", "1"]);
    expect(await counts("${payload:a.b | base64}", payloads)).toEqual(["1", "2"]);
    const { publisher, sink } = await opened({ ...byK, ...count, key: "${metadata:tenant}" });
    await publisher.send(batchFrom(["{}", "{}"], { tenant: "t" }), never);
    expect(sink.messages.map((message) => message.text())).toEqual(['{"a":{"n":1}}', '{"a":{"n":2}}']);
  });

  it("says which key has no value", async () => {
    expect(await folded({ ...byK, ...count }, ["{}"])).toEqual([
      'aggregate cannot fold the message: its key for "a" has no value',
    ]);
  });

  it("keeps states of hostile keys apart, in bounded memory", async () => {
    const long = "x".repeat(100_000);
    const keys = ["__proto__", "constructor", "toString", "__proto__", `${long}1`, `${long}2`, `${long}1`];
    expect(
      await counts(
        "${payload:k}",
        keys.map((k) => JSON.stringify({ k })),
      ),
    ).toEqual(["1", "1", "1", "2", "1", "1", "2"]);
  });

  it("stores a state under its field and key, and no longer than a store takes", async () => {
    expect(storedKey("p/", "a.b", "x:y")).toBe("p/a.b:x:y");
    const long = storedKey("p/", "a", "x".repeat(300));
    expect(long).toMatch(/^p\/[\w-]{43}$/);
    expect(storedKey("p/", "b", "x".repeat(300))).not.toBe(long);
    const context = contextWith();
    const store = await context.openStore("memory:");
    await folded({ ...byK, ...count, store: "memory:" }, ['{"k":"é:1"}'], context);
    const [found] = await store.getMany(["mqb_aggregate_test/a:é:1"]);
    expect(Buffer.from(found!.value).toString()).toBe("[1.0]");
  });
});
