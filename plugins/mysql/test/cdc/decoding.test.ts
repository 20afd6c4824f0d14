import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { StreamFault } from "../../src/cdc/decode/fault.ts";
import { TYPES } from "../type-values.ts";
import { Feed, recorded } from "./feed.ts";

const texts = (messages: Iterable<{ text(): string }>): string[] => Array.from(messages, (message) => message.text());
const CHANGES = [
  '{"id":1,"v":"a"}',
  '{"id":2,"v":"b"}',
  '{"id":1,"v":"c"}',
  '{"id":3,"v":"b"}',
  '{"w":null,"id":3,"v":"b"}',
  "{}",
  '{"w":1,"id":4,"v":"d"}',
  '{"w":2,"id":4,"v":"d"}',
];
const [XID, TABLE_MAP, WRITE_ROWS] = [16, 19, 23];
const kind = (event: Buffer): number => event[4]!;

/** Without its checksum, which another one says that there is none. */
function plain(event: Buffer): Buffer {
  const copy = Buffer.from(event.subarray(0, event.length - 4));
  copy.writeUInt32LE(copy.length, 9);
  return copy;
}

/** A description of the format that says that events have no checksums. */
function unchecked(format: Buffer): Buffer {
  const copy = Buffer.from(format);
  copy[copy.length - 5] = 0;
  return copy;
}

describe("a recorded log", () => {
  it("of every type becomes the lines that a cursor reads", async () => {
    const types = Object.fromEntries(Object.keys(TYPES).map((type, i) => [`c${i}`, type]));
    const feed = await new Feed({ types }).all(recorded("every-type"));
    const wanted = readFileSync(new URL("./streams/every-type.jsonl", import.meta.url), "utf8")
      .trimEnd()
      .split("\n");
    expect(texts(feed.take())).toEqual(wanted);
  });

  it("of changes has their operations, keys, transactions and places", async () => {
    const feed = await new Feed().all(recorded("changes"));
    const messages = feed.take();
    expect(texts(messages)).toEqual(CHANGES);
    const of = (name: string) => messages.map(({ metadata }) => metadata.get(`mysql.${name}`));
    expect(of("operation")).toEqual(["insert", "insert", "update", "update", "delete", "truncate", "insert", "update"]);
    expect(of("key")).toEqual(["[1]", "[2]", "[1]", "[3]", "[3]", undefined, "[4]", "[4]"]);
    expect(of("old_key")[3]).toBe("[2]");
    const [first, same] = of("gtid");
    expect(first).toBe(same);
    expect(new Set(of("gtid")).size).toBe(6);
    expect(new Set(of("position")).size).toBe(6);
    const ordinals = messages.map(({ metadata }) => metadata.get("mqb.src.mysql_ordinal"));
    expect(ordinals).toEqual(["0", "1", "0", "0", "0", "0", "0", "1"]);
    expect(feed.log.confirmed).toBe(feed.log.position);
    // The statement that was written instead of its rows.
    expect(feed.unseen).toEqual(["statement"]);
  });

  it("gives a change of the key as two, where that is asked for", async () => {
    const messages = (await new Feed({ splitsKeyChange: true }).all(recorded("changes"))).take();
    expect(
      messages.slice(3, 5).map(({ metadata }) => [metadata.get("mysql.operation"), metadata.get("mysql.key")]),
    ).toEqual([
      ["delete", "[2]"],
      ["insert", "[3]"],
    ]);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(9);
  });

  it("gives each change the same id whenever it is read", async () => {
    const read = async () => (await new Feed().all(recorded("changes"))).take().map(({ id }) => id);
    expect(await read()).toEqual(await read());
  });
});

describe("the position", () => {
  it("moves at the ends of transactions only", async () => {
    const feed = new Feed();
    let before = feed.log.position;
    for (const event of recorded("changes")) {
      const wasOpen = feed.log.isOpen;
      await feed.event(event);
      if (wasOpen && feed.log.isOpen) expect(feed.log.position).toBe(before);
      before = feed.log.position;
    }
    expect(feed.log.confirmed).toBeLessThan(before);
    feed.take();
    expect(feed.log.confirmed).toBe(before);
  });
});

describe("a transaction that a crashed server has not ended", () => {
  it("is nobody's, and what comes behind it is", async () => {
    const events = recorded("changes");
    const format = events[1]!;
    const cut = events.findIndex((event) => kind(event) === XID);
    const feed = await new Feed().all([...events.slice(0, cut), format, ...events.slice(cut + 1)]);
    expect(texts(feed.take())).toEqual(CHANGES.slice(2));
    expect(feed.log.unread).toBe(0);
  });
});

describe("a log that is not what it should be", () => {
  it("is refused at the event whose bytes have changed", async () => {
    for (const [n, event] of recorded("changes").entries()) {
      if (n === 0) continue;
      const feed = await new Feed().all(recorded("changes").slice(0, n));
      const wrong = Buffer.from(event);
      wrong[wrong.length - 6]! ^= 1;
      // Of the description, that is whether there are checksums.
      if (n > 1) await expect(feed.event(wrong)).rejects.toThrow(StreamFault);
    }
  });

  it("is refused where an event ends too early, wherever that is, also without checksums", async () => {
    const events = recorded("every-type");
    const at = events.findIndex((event) => kind(event) === WRITE_ROWS);
    const before = [events[0]!, unchecked(events[1]!), ...events.slice(2, at - 1).map(plain)];
    const map = plain(events[at - 1]!);
    expect(kind(map)).toBe(TABLE_MAP);
    for (const whole of [map, plain(events[at]!)]) {
      for (let size = 19; size < whole.length; size += 7) {
        const feed = await new Feed().all(whole === map ? before : [...before, map]);
        const short = Buffer.from(whole.subarray(0, size));
        short.writeUInt32LE(size, 9);
        // A map may end between two of the facts that it adds.
        await feed.event(short).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Error);
        });
        expect(texts(feed.take())).toEqual([]);
      }
    }
  });

  it("is refused where rows are of a table that nobody has named, and where an event is of an unknown kind", async () => {
    const events = recorded("changes");
    const [head, rows] = [events.slice(0, 2), events.find((event) => kind(event) === WRITE_ROWS)!];
    const feed = await new Feed().all([head[0]!, unchecked(head[1]!)]);
    await expect(feed.event(plain(rows))).rejects.toThrow("a table that was not named");
    const unknown = plain(rows);
    unknown[4] = 99;
    await expect(feed.event(unknown)).rejects.toThrow("the unknown kind 99");
  });
});

it("rows that MariaDB has compressed are the same rows", async () => {
  const events = recorded("changes");
  const head = [events[0]!, unchecked(events[1]!)];
  const compressed = events.slice(2).map((event) => {
    const bare = plain(event);
    if (kind(bare) < WRITE_ROWS || kind(bare) > WRITE_ROWS + 2) return bare;
    // Number and flags of the table, the count of columns, and which of them are there.
    const data = 19 + 8 + 1 + (kind(bare) === WRITE_ROWS + 1 ? 2 : 1);
    const rows = bare.subarray(data);
    const size = Buffer.from([0x82, rows.length >> 8, rows.length & 255]);
    const packed = Buffer.concat([bare.subarray(0, data), size, deflateSync(rows)]);
    packed[4] = kind(bare) + 143;
    packed.writeUInt32LE(packed.length, 9);
    return packed;
  });
  expect(texts((await new Feed().all([...head, ...compressed])).take())).toEqual(CHANGES);
});
