import { batchOf, idFromBigInt, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { encodeBatch } from "../src/publisher/encode.ts";
import { CODECS, Codecs } from "../src/wire/codecs.ts";
import { crc32c } from "../src/wire/crc32c.ts";
import { parseId, RecordFields } from "../src/wire/fields.ts";
import { partitionerOf } from "../src/wire/partitioner.ts";
import { batchHead, NO_PRODUCER, TRANSACTIONAL } from "../src/wire/record-batch.ts";
import { DamagedBatch, FetchedRecords } from "../src/wire/record-reader.ts";

const codecs = new Codecs();
const OPTIONS = {
  partitions: 1,
  partitioner: partitionerOf("consistent"),
  keyField: undefined,
  maxRecords: 1000,
  maxBytes: 1_000_000,
};
const read = { codecs, checks: true, aborted: [] };

/** The batch as a broker stores it: with an offset in front. */
async function stored(messages: readonly Message[], offset = 0, codec = 0, options = OPTIONS): Promise<Buffer> {
  const chunks = encodeBatch(batchOf(messages), options);
  const parts: Buffer[] = [];
  let next = offset;
  for (const { body, positions } of chunks) {
    const packed = codec === 0 ? body : await (await codecs.load(codec)).compress(body);
    const head = batchHead(
      { codec, count: positions.length, timestamp: 1, producer: NO_PRODUCER, sequence: -1, transactional: false },
      packed,
    );
    head.writeBigInt64BE(BigInt(next), 0);
    next += positions.length;
    parts.push(head, packed);
  }
  return Buffer.concat(parts);
}

async function readBack(bytes: Buffer, from = 0): Promise<Message[]> {
  const records = (await FetchedRecords.scan(bytes, 0, bytes.length, from, read))!;
  const messages: Message[] = [];
  while (!records.isEmpty) {
    const chunk = records.read();
    const fields = new RecordFields(chunk, 0, { topic: "t", partition: 3, stamps: false });
    for (let i = 0; i < chunk.count; i++) {
      const payload = chunk.bytes.subarray(chunk.starts[i], chunk.ends[i]);
      messages.push(new Message(payload, fields.metadata(i), fields.id(i)));
    }
  }
  return messages;
}

const sample = [
  new Message("one"),
  new Message(
    "",
    new Map([
      ["k", "grüße €😀"],
      ["long", "x".repeat(70)],
      ["", "no name"],
    ]),
  ),
  new Message(Buffer.alloc(9000, 255), new Map([["a", "1"]])),
  new Message(Buffer.alloc(70_000, 1)),
  new Message("tomb", new Map([["mqb.kafka.tombstone", "true"]])),
  new Message("secret", new Map([["mqb.src.kafka_offset", "7"]])),
];

describe("record batches", () => {
  it.each(Object.entries(CODECS))("come back as they were written, %s", async (_, codec) => {
    const messages = await readBack(await stored(sample, 5, codec));
    expect(messages.map((message) => message.id)).toEqual(sample.map((message) => message.id));
    expect(messages.map(({ payload }) => payload.length)).toEqual([3, 0, 9000, 70_000, 0, 6]);
    const wire = (n: number) => [...messages[n]!.metadata].filter(([name]) => name !== "mq_bridge.message_id");
    expect(wire(1)).toEqual([...sample[1]!.metadata]);
    expect(wire(4)).toEqual([["mqb.kafka.tombstone", "true"]]);
    expect(wire(5)).toEqual([]);
  });

  it("are read from the offset on that was asked for", async () => {
    const bytes = await stored(sample, 10);
    expect(await readBack(bytes, 14)).toHaveLength(2);
    expect(await readBack(bytes, 15)).toHaveLength(1);
    const behind = (await FetchedRecords.scan(bytes, 0, bytes.length, 16, read))!;
    expect([behind.isEmpty, behind.next]).toEqual([true, 16]);
  });

  it("are cut where they would become too large, in their order", async () => {
    const options = { ...OPTIONS, maxRecords: 2 };
    const chunks = encodeBatch(batchOf(sample), options);
    expect(chunks.map(({ positions }) => positions)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(await readBack(await stored(sample, 0, 0, options))).toHaveLength(6);
    const bySize = encodeBatch(batchOf(sample), { ...OPTIONS, maxBytes: 5000 });
    expect(bySize.map(({ positions }) => positions)).toEqual([[0, 1], [2], [3], [4, 5]]);
  });

  it("that are cut off at the end of an answer are left for the next one", async () => {
    const [first, second] = [await stored([sample[0]!], 0), await stored([sample[1]!], 1)];
    const bytes = Buffer.concat([first, second.subarray(0, second.length - 1)]);
    const records = (await FetchedRecords.scan(bytes, 0, bytes.length, 0, read))!;
    expect(records.next).toBe(1);
    const nothing = second.subarray(0, 30);
    expect(await FetchedRecords.scan(nothing, 0, nothing.length, 0, read)).toBeUndefined();
  });

  it("are refused when damaged, with their offset", async () => {
    const flipped = await stored(sample, 5);
    flipped[100] = flipped[100]! ^ 1;
    await expect(FetchedRecords.scan(flipped, 0, flipped.length, 0, read)).rejects.toThrow(/checksum/);
    const short = await stored([new Message("abc")], 7);
    short[61] = 40;
    const records = (await FetchedRecords.scan(short, 0, short.length, 0, { ...read, checks: false }))!;
    expect(() => records.read()).toThrow(DamagedBatch);
    for (const codec of [1, 2, 3, 4]) {
      const packed = await stored(sample, 5, codec);
      packed.fill(0, 61);
      const broken = (await FetchedRecords.scan(packed, 0, packed.length, 0, { ...read, checks: false }))!;
      expect(() => broken.read(), `codec ${codec}`).toThrow(DamagedBatch);
    }
  });

  it("with more headers than there are bytes do not keep anybody busy", async () => {
    const bytes = await stored([new Message("x", undefined, idFromBigInt(1n))]);
    const at = bytes.indexOf("mq_bridge.message_id") - 2;
    bytes.write("feffffff0f", at - 4, "hex");
    const records = (await FetchedRecords.scan(bytes, 0, bytes.length, 0, { ...read, checks: false }))!;
    const chunk = { ...records.read(), headers: Uint32Array.of(at - 4) };
    const fields = new RecordFields(chunk, 0, { topic: "t", partition: 0, stamps: false });
    expect(fields.metadata(0).size).toBeLessThan(50);
    expect(fields.id(0)).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("of an aborted transaction are left out, up to its marker", async () => {
    const batch = async (offset: number, producer: bigint, control = false): Promise<Buffer> => {
      const bytes = await stored([new Message(`${offset}`)], offset);
      bytes.writeInt16BE(TRANSACTIONAL | (control ? 0x20 : 0), 21);
      bytes.writeBigInt64BE(producer, 43);
      bytes.writeUInt32BE(crc32c(bytes, 21, bytes.length), 17);
      return bytes;
    };
    const log = [batch(0, 1n), batch(1, 2n), batch(2, 1n), batch(3, 1n, true), batch(4, 1n), batch(5, 2n, true)];
    const bytes = Buffer.concat(await Promise.all(log));
    const aborted = [{ producerId: 1n, firstOffset: 0 }];
    const records = (await FetchedRecords.scan(bytes, 0, bytes.length, 0, { ...read, aborted }))!;
    expect([...records.read().offsets.subarray(0, 2)]).toEqual([1, 4]);
    expect(records.next).toBe(6);
  });
});

describe("ids", () => {
  it("are read in four forms, anything else is none", () => {
    const id = "0190aaaa-0000-7000-8000-000000000021";
    for (const text of [
      id,
      id.replaceAll("-", ""),
      id.replaceAll("-", "").toUpperCase(),
      `0x${id.replaceAll("-", "")}`,
    ])
      expect(parseId(text)).toBe(id);
    expect(parseId("12345")).toBe(idFromBigInt(12345n));
    expect(parseId("0")).toBe(idFromBigInt(0n));
    for (const text of ["", "abc123", "zz", "-1", "1.5", `${2n ** 128n}`, "0x"]) expect(parseId(text)).toBeUndefined();
  });
});

describe("partitioners", () => {
  const key = Buffer.from("customer-17");

  it("spread keys as librdkafka and Java do", () => {
    // zlib.crc32("customer-17") % 12, and murmur2 of the Java client.
    expect(partitionerOf("consistent")(key, 0, key.length, 12)).toBe(crcOf("customer-17") % 12);
    expect(partitionerOf("murmur2")(Buffer.from("21"), 0, 2, 1 << 30)).toBe((-973932308 & 0x7fffffff) % (1 << 30));
    expect(partitionerOf("murmur2")(Buffer.from("foobar"), 0, 6, 1 << 30)).toBe((-790332482 & 0x7fffffff) % (1 << 30));
    expect(partitionerOf("murmur2")(Buffer.from("a-little-bit-long-string"), 0, 24, 1 << 30)).toBe(
      (-985981536 & 0x7fffffff) % (1 << 30),
    );
  });

  it("take any partition without a key", () => {
    const chosen = new Set(Array.from({ length: 200 }, () => partitionerOf("consistent_random")(null, 0, 0, 4)));
    expect(chosen.size).toBe(4);
  });
});

function crcOf(text: string): number {
  let crc = ~0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
