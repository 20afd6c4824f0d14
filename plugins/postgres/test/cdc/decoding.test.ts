import { readdirSync } from "node:fs";
import { hashId } from "@mqb/core/plugin";
import { Fnv128 } from "@mqb/sql";
import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { Feed, pgoutput, recorded, said } from "./feed.ts";

const CHANGES = [
  String.raw`insert [1] {"id":1,"v":"x\"y\\z\n","n":"1.50","f":0.5,"ok":true,"b":"ff00","tags":["a,b",null,"\""],"j":{"a": [1.50]}}`,
  String.raw`update [1] {"id":1,"v":"z","n":"1.50","f":0.5,"ok":true,"b":"ff00","tags":["a,b",null,"\""],"j":{"a": [1.50]}}`,
  String.raw`update [2] [1] {"id":2,"v":"z","n":"1.50","f":0.5,"ok":true,"b":"ff00","tags":["a,b",null,"\""],"j":{"a": [1.50]}}`,
  `delete [2] {"id":2,"v":null,"n":null,"f":null,"ok":null,"b":null,"tags":null,"j":null}`,
  `insert [1,"a"] {"id":1,"v":"a"}`,
  `update [1,"b"] {"id":1,"v":"b"}`,
  `delete [1,"b"] {"id":1,"v":"b"}`,
  `insert [3] {"id":3,"v":null,"n":null,"f":null,"ok":null,"b":null,"tags":null,"j":null}`,
  `insert [5] {"id":5,"v":null,"n":null,"f":null,"ok":null,"b":null,"tags":null,"j":null}`,
  `insert [6] {"id":6,"v":null,"n":null,"f":null,"ok":null,"b":null,"tags":null,"j":null,"w":7}`,
  `insert [7] {"id":7,"n":null,"f":null,"ok":null,"b":null,"tags":null,"j":null,"w":8}`,
  "truncate - {}",
  "truncate - {}",
];

describe("a recorded stream", () => {
  it("becomes its changes, with tables that change in between", async () => {
    expect((await Feed.all(recorded("changes"))).map(said)).toEqual(CHANGES);
  });

  it("becomes the same changes wherever it is cut", async () => {
    const bytes = recorded("changes");
    // One byte at a time is every cut there is; these have whole messages on both sides of theirs.
    for (let at = 1; at < bytes.length; at += 61)
      expect((await Feed.all(bytes.subarray(0, at), bytes.subarray(at))).length).toBe(CHANGES.length);
    const single = await Feed.all(...Array.from(bytes, (_, i) => bytes.subarray(i, i + 1)));
    expect(single.map(said)).toEqual(CHANGES);
  });

  it("has a place for each change: the end of its commit, and its number in the transaction", async () => {
    const messages = await Feed.all(recorded("changes"));
    const places = messages.map(({ metadata }) => metadata.get("mqb.src.postgres_ordinal"));
    expect(places).toEqual(["0", "1", "2", "3", "4", "5", "6", "0", "1", "0", "0", "0", "1"]);
    expect(new Set(messages.map(({ metadata }) => metadata.get("postgres.lsn"))).size).toBe(5);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  });

  it("of pieces gives what was committed, in the order of the commits, without what was rolled back", async () => {
    await using dir = await TempDir.make();
    const feed = new Feed({ folder: dir.path });
    await feed.push(recorded("pieces"));
    const messages = feed.take();
    const rows = messages.map((message) => (message.json() as { id: number }).id);
    const first = Array.from({ length: 602 }, (_, n) => n + 1);
    expect(rows).toEqual([9001, ...first, 1, 9002]);
    expect(said(messages[603]!)).toBe('update [1] {"id":1,"v":"y"}');
    expect(messages[602]!.metadata.get("mqb.src.postgres_ordinal")).toBe("601");
    expect(readdirSync(dir.path)).toEqual([]);
  });
});

describe("a change", () => {
  const T = [
    ["id", 23, true],
    ["v", 25, false],
    ["big", 25, false],
  ] as const;

  async function changes(feed: Feed, ...messages: readonly Buffer[]): Promise<string[]> {
    for (const message of [pgoutput.begin(), pgoutput.relation(1, T), ...messages, pgoutput.commit(100)])
      await feed.message(message);
    return feed.take().map(said);
  }

  it("names the columns that were left out because they have not changed", async () => {
    expect(await changes(new Feed(), pgoutput.update(1, ["1", undefined, undefined]))).toEqual([
      'update [1] v,big {"id":1}',
    ]);
  });

  it("takes what was left out from the old row, where that is there", async () => {
    const update = pgoutput.update(1, ["1", "b", undefined], ["O", ["1", "a", "long"]]);
    expect(await changes(new Feed(), update)).toEqual(['update [1] {"id":1,"v":"b","big":"long"}']);
  });

  it("of the key can be a delete and an insert", async () => {
    const update = pgoutput.update(1, ["2", "b", "c"], ["K", ["1", null, null]]);
    expect(await changes(new Feed({ splitsKeyChange: true }), update)).toEqual([
      'delete [1] {"id":1,"v":null,"big":null}',
      'insert [2] {"id":2,"v":"b","big":"c"}',
    ]);
  });

  it("of a transaction that is larger than the memory for one goes through a file that is gone afterwards", async () => {
    await using dir = await TempDir.make();
    const feed = new Feed({ folder: dir.path });
    const count = 150;
    const row = (n: number): Buffer => pgoutput.insert(1, [`${n}`, "é\n".repeat(10_000), null]);
    await feed.message(pgoutput.begin());
    await feed.message(pgoutput.relation(1, T));
    for (let n = 0; n < count; n++) feed.decoder.message(row(n), 0, row(n).length);
    expect(feed.take()).toEqual([]);
    await feed.message(pgoutput.commit(100));
    const messages = feed.take();
    expect(messages.map((message) => (message.json() as { id: number }).id)).toEqual(
      Array.from({ length: count }, (_, n) => n),
    );
    expect(messages.at(-1)!.metadata.get("mqb.src.postgres_ordinal")).toBe(`${count - 1}`);
    expect(feed.spools.written).toBeGreaterThan(100_000);
    expect(feed.log.confirmed).toBe(100n);
    expect(readdirSync(dir.path)).toEqual([]);
  });

  it("of many megabytes is one message", async () => {
    const feed = new Feed();
    const [big] = await changes(feed, pgoutput.insert(1, ["1", '"\n'.repeat(500_000), "x"]));
    expect(big).toHaveLength("insert [1] ".length + 2_000_000 + '{"id":1,"v":"","big":"x"}'.length);
  });
});

it("ids are the hash that the original makes", () => {
  for (const text of ["", "a", "public.orders\0[1]\0insert\0", "é".repeat(500)]) {
    const out = Buffer.alloc(16);
    Fnv128.of(Buffer.from(text)).writeTo(out);
    expect(out.toString("hex")).toBe(hashId(text).replaceAll("-", ""));
  }
});
