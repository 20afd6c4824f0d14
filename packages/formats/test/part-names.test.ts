import { batchOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import {
  CoveredRanges,
  fileTopic,
  parsePartName,
  partExtension,
  partName,
  planParts,
  positionOf,
} from "../src/index.ts";

const at = (entries: Record<string, string>) =>
  positionOf(new Map(Object.entries(entries).map(([key, value]) => [`mqb.src.${key}`, value])));
const fileMessage = (record: number | string, path = "input.txt") =>
  new Message(
    `${record}`,
    new Map([
      ["mqb.src.file_path", path],
      ["mqb.src.file_record", `${record}`],
    ]),
  );

describe("source positions", () => {
  it.each([
    [{ file_path: "input.txt", file_record: "3" }, "file-input.txt-aec75445d976fadd", 0, 3n],
    [
      { file_path: "/a/b.log", file_record: "0", file_epoch: "17" },
      /^file-b\.log-[0-9a-f]{16}-00000000000000000017$/,
      0,
      0n,
    ],
    [{ kafka_topic: "orders", kafka_partition: "7", kafka_offset: "42" }, "orders", 7, 42n],
    [{ postgres_slot: "s", postgres_lsn: "9", postgres_ordinal: "1" }, "postgres_cdc-s-00000000000000000009", 0, 1n],
    [{ mysql_source: "c", mysql_position: "9", mysql_ordinal: "1" }, "mysql_cdc-c-00000000000000000009", 0, 1n],
    [{ mongodb_namespace: "d.c", mongodb_snapshot_index: "5" }, "mongodb-d.c-0snapshot", 0, 5n],
    [
      { mongodb_namespace: "d.c", mongodb_cluster_time: "8", mongodb_ordinal: "2" },
      "mongodb-d.c-1cdc-00000000000000000008",
      0,
      2n,
    ],
    [{ sqlx_table: "t", sqlx_cursor: "18446744073709551615" }, "sqlx-t", 0, 18446744073709551615n],
  ])("%j name a place", (entries, topic, partition, value) => {
    const position = at(entries)!;
    expect(position.topic).toEqual(typeof topic === "string" ? topic : expect.stringMatching(topic));
    expect([position.partition, position.value]).toEqual([partition, value]);
  });

  it.each([
    [{}],
    [{ file_path: "x" }],
    [{ sqlx_table: "t", sqlx_cursor: "-1" }],
    [{ sqlx_table: "t", sqlx_cursor: "1.5" }],
  ])("%j name none", (entries) => {
    expect(at(entries)).toBeUndefined();
  });

  it("cannot lead out of the folder", () => {
    expect(at({ sqlx_table: "../../etc", sqlx_cursor: "1" })!.topic).toMatch(/^sqlx-\.\._\.\._etc-[0-9a-f]{16}$/);
  });

  it("of different sources never share a name", () => {
    const topics = ["a/b", "a_b", "a\\b", "a\0b"].map((sqlx_table) => at({ sqlx_table, sqlx_cursor: "1" })!.topic);
    expect(new Set(topics).size).toBe(topics.length);
    expect(topics[1]).toBe("sqlx-a_b");
  });

  it.each(["x", "ü", "𝄞"])("of a file fit a file name, however long the file's own is (%s)", (char) => {
    const names = [char.repeat(63), `${char.repeat(63)}2`].map((end) => `/in/${"y".repeat(200)}${end}`);
    const topics = names.map((path) => fileTopic(path, "1700000000000"));
    expect(new Set(topics).size).toBe(2);
    for (const topic of topics) {
      const name = partName({ topic, partition: 0, start: 0n, end: 10n }, "jsonl.zst.enc");
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(name).not.toContain("\ufffd");
    }
  });
});

describe("part names", () => {
  it("sort as positions do, and say what they hold", () => {
    const range = { topic: "orders-eu", partition: 3, start: 10n, end: 12n };
    const name = partName(range, partExtension("raw", { compression: "gzip", cipher: undefined }));
    expect(name).toBe("part-orders-eu-0000000003-00000000000000000010-00000000000000000012.bin.gz");
    expect(parsePartName(name)).toEqual(range);
  });

  it("of older versions are read without padding", () => {
    expect(parsePartName("part-t-1-2-3.jsonl")).toEqual({ topic: "t", partition: 1, start: 2n, end: 3n });
  });

  it.each(["other.txt", "part-t-1-2.jsonl", "part-t-1-5-3.jsonl", ".stage-x"])("%s is none", (name) => {
    expect(parsePartName(name)).toBeUndefined();
  });
});

describe("a plan of parts", () => {
  it("has one part per run of consecutive positions and source, in the order of positions", () => {
    const batch = batchOf([5, 1, 2, 7, 6].map((n) => fileMessage(n)).concat(fileMessage(6, "other.txt")));
    const plan = planParts(batch, new CoveredRanges());
    expect(plan.parts.map(({ topic, start, end, indices }) => [topic.slice(0, 8), start, end, [...indices]])).toEqual([
      ["file-inp", 1n, 2n, [1, 2]],
      ["file-inp", 5n, 7n, [0, 4, 3]],
      ["file-oth", 6n, 6n, [5]],
    ]);
  });

  it("leaves out what is covered, however the repetition is cut", () => {
    const covered = new CoveredRanges();
    covered.add({ topic: "file-input.txt-aec75445d976fadd", partition: 0, start: 0n, end: 2n });
    covered.add({ topic: "file-input.txt-aec75445d976fadd", partition: 0, start: 4n, end: 4n });
    const plan = planParts(batchOf([1, 2, 3, 4, 5].map((n) => fileMessage(n))), covered);
    expect(plan.parts.map(({ start, end }) => [start, end])).toEqual([
      [3n, 3n],
      [5n, 5n],
    ]);
  });

  it("names messages without a position, and those that repeat one", () => {
    const plan = planParts(batchOf([fileMessage(1), new Message("x"), fileMessage(1)]), new CoveredRanges());
    expect(plan).toMatchObject({ unplaced: [1], repeated: [2] });
  });
});

describe("covered ranges", () => {
  it("are what was added, in any order and overlap", () => {
    const covered = new CoveredRanges();
    const cover = (start: bigint, end: bigint) => covered.add({ topic: "t", partition: 0, start, end });
    cover(10n, 12n);
    cover(0n, 3n);
    cover(4n, 5n);
    cover(11n, 20n);
    cover(30n, 30n);
    const has = Array.from({ length: 40 }, (_, n) => covered.has({ topic: "t", partition: 0, value: BigInt(n) }));
    expect(has.map((one, n) => (one ? n : -1)).filter((n) => n >= 0)).toEqual([
      0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 30,
    ]);
    expect(covered.has({ topic: "t", partition: 1, value: 0n })).toBe(false);
  });
});
