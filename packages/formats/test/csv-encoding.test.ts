import { batchOf, codeOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { type CsvConfig, CsvEncoder, type CsvTarget, csvSettings } from "../src/index.ts";
import { decodeAll, written } from "./support.ts";

const LF = Buffer.from("\n");
const NEW: CsvTarget = { columns: undefined, empty: true };

function encode(objects: readonly unknown[], csv: CsvConfig = {}, target: CsvTarget = NEW, told: unknown[] = []) {
  const encoder = new CsvEncoder({ csv: csvSettings(csv), delimiter: LF, onMismatch: (key) => told.push(key) });
  const result = encoder.encode(
    batchOf(objects.map((one) => new Message(typeof one === "string" ? one : JSON.stringify(one)))),
    target,
  );
  return {
    text: written(result),
    refused: result.refused.map(({ index, error }) => [index, codeOf(error)]),
    columns: result.columns,
  };
}

describe("CSV rows", () => {
  it("stand below a header of the first record's keys, in its order", () => {
    expect(
      encode([
        { z: 1, a: "x" },
        { a: "y", z: 2 },
      ]),
    ).toEqual({ text: "z,a\n1,x\n2,y\n", refused: [], columns: ["z", "a"] });
  });

  it("follow the columns that the target has", () => {
    expect(encode([{ name: "b", id: 2 }], {}, { columns: ["id", "name"], empty: false }).text).toBe("2,b\n");
  });

  it.each<[string, readonly unknown[], CsvConfig, readonly string[]]>([
    ["another file's columns", [{ x: 1, y: 2 }], {}, ["a", "b"]],
    ["a header with another separator", [{ id: 1, name: "x" }], {}, ["id;name"]],
    ["columns as configured", [{ x: 1 }], { columns: ["a", "b"] }, ["a", "b"]],
    ["no quote", [{ x: "", y: { z: 1 } }], { quote: "none" }, ["a"]],
  ])("never drop everything that a record holds: %s", (_, objects, csv, columns) => {
    const target = { columns, empty: false };
    expect(encode(objects, csv, target)).toMatchObject({ text: "", refused: [[0, "MQB_FORMATS_CSV_NO_COLUMN"]] });
    const kept = { [columns[0]!]: "" };
    const { text, refused } = encode([kept, ...objects, { ...kept, q: 1 }], csv, target);
    expect(text.split("\n")).toHaveLength(3);
    expect(refused).toEqual([[1, "MQB_FORMATS_CSV_NO_COLUMN"]]);
  });

  it("keep a byte-order mark that belongs to the first name or value", () => {
    for (const csv of [{}, { header: false, columns: ["\ufeffa"] }]) {
      const { text } = encode([{ "\ufeffa": "\ufeffx" }], csv);
      const [decoded] = decodeAll(text, { format: "csv", csv });
      expect(JSON.parse(decoded!.batch.at(0).text())).toEqual({ "\ufeffa": "\ufeffx" });
    }
  });

  it("say what is too deep, or too long, for a column", () => {
    expect(
      encode(
        [`{"a":${'{"b":'.repeat(3000)}1${"}".repeat(3000)}}`, { ["k".repeat(5000)]: 1 }],
        {},
        { columns: ["a"], empty: false },
      ).refused,
    ).toEqual([
      [0, "MQB_FORMATS_CSV_TOO_DEEP"],
      [1, "MQB_FORMATS_CSV_TOO_DEEP"],
    ]);
  });

  it("keep the spelling of numbers", () => {
    expect(encode(['{"a":1.10,"b":1E5,"c":123456789012345678901234567890,"d":-0.0}'], { header: false }).text).toBe(
      "1.10,1E5,123456789012345678901234567890,-0.0\n",
    );
  });

  it("hold nested objects as columns of their leaves, or as JSON", () => {
    const object = { o: { x: 1, y: { z: "q" } }, arr: [1, "a,b"] };
    expect(encode([object]).text).toBe('o.x,o.y.z,arr\n1,q,"[1,""a,b""]"\n');
    expect(encode([object], { nested: "json" }).text).toBe('o,arr\n"{""x"":1,""y"":{""z"":""q""}}","[1,""a,b""]"\n');
  });

  it("of records with other keys are written with what fits, and told of once", () => {
    const told: unknown[] = [];
    expect(encode([{ a: 1, b: 2 }, { a: 3 }, { b: 4, c: 5 }], {}, NEW, told).text).toBe("a,b\n1,2\n3,\n,4\n");
    expect(told).toHaveLength(1);
  });

  it("of records with other keys are refused when that is asked for", () => {
    expect(
      encode([{ a: 1, b: 2 }, { a: 3 }, { b: 4, a: 5, c: 6 }, { b: 7, a: 8 }], { on_mismatch: "fail" }),
    ).toMatchObject({
      text: "a,b\n1,2\n8,7\n",
      refused: [
        [1, "MQB_FORMATS_CSV_MISSING_KEYS"],
        [2, "MQB_FORMATS_CSV_EXTRA_KEY"],
      ],
    });
  });

  it("with configured columns drop further keys on purpose, and refuse only missing ones", () => {
    const csv: CsvConfig = { columns: ["c", "a"], on_mismatch: "fail" };
    expect(encode([{ a: 1, b: 2, c: 3 }, { a: 4 }, "no", { c: 5, a: 6 }], csv)).toMatchObject({
      text: "c,a\n3,1\n5,6\n",
      refused: [
        [1, "MQB_FORMATS_CSV_MISSING_KEYS"],
        [2, "MQB_FORMATS_CSV_NOT_OBJECT"],
      ],
    });
    const told: unknown[] = [];
    encode([{ a: 1, b: 2, c: 3 }], { columns: ["c", "a"] }, NEW, told);
    expect(told).toEqual([]);
  });

  it("call what is no JSON object just that, whether it is JSON or not", () => {
    const encoder = new CsvEncoder({ csv: csvSettings({}), delimiter: LF, onMismatch: () => {} });
    const payloads = ["nojson", "[1]", "1", '"text"'].map((text) => new Message(text));
    const { refused } = encoder.encode(batchOf(payloads), { columns: ["a"], empty: false });
    expect(refused.map(({ error }) => String(error))).toEqual(
      payloads.map(() => expect.stringContaining("this payload is not a JSON object") as string),
    );
  });

  it("refuse what is no object with a field, alone", () => {
    expect(encode(["not json", "[1]", {}, { a: 1 }, Buffer.from([0x22, 0xff]).toString("latin1")])).toMatchObject({
      text: "a\n1\n",
      refused: [0, 1, 2, 4].map((index) => [index, "MQB_FORMATS_CSV_NOT_OBJECT"]),
    });
  });

  it("write no header when no record could be written", () => {
    expect(encode(["x", "y"])).toMatchObject({ text: "", columns: undefined });
  });

  it("refuse a value or a key with half a surrogate pair", () => {
    expect(encode(['{"a":"\\ud800"}', '{"a":"b"}']).refused).toEqual([[0, "MQB_FORMATS_LONE_SURROGATE"]]);
    expect(encode(['{"\\ud800":1}']).refused).toEqual([[0, "MQB_FORMATS_LONE_SURROGATE"]]);
  });

  it("refuse what would need a quote when there is none", () => {
    expect(encode([{ a: "x,y" }, { a: "z" }], { quote: "none" })).toMatchObject({
      text: "a\nz\n",
      refused: [[0, "MQB_FORMATS_CSV_NEEDS_QUOTE"]],
    });
    expect(encode([{ "a,b": 1 }], { quote: "none" }).refused).toEqual([[0, "MQB_FORMATS_CSV_NEEDS_QUOTE"]]);
  });

  it("take foreign keys as ordinary columns", () => {
    expect(encode(['{"__proto__":{"polluted":1},"constructor":2}']).text).toBe("__proto__.polluted,constructor\n1,2\n");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
