import { GrowingBuffer } from "@mqb/formats";
import { describe, expect, it } from "vitest";
import { CODECS, Codecs } from "../src/wire/codecs.ts";
import { batchHead, NO_PRODUCER } from "../src/wire/record-batch.ts";
import { FetchedRecords } from "../src/wire/record-reader.ts";
import { RecordWriter } from "../src/wire/record-writer.ts";

const codecs = new Codecs();

function batchOf(body: Buffer, count: number, codec = 0, last = count - 1): Buffer {
  const head = batchHead(
    { codec, count, timestamp: 1, producer: NO_PRODUCER, sequence: -1, transactional: false },
    body,
  );
  head.writeInt32BE(last, 23);
  return Buffer.concat([head, body]);
}

/** Records of nothing with these offset deltas, each below 64. */
function recordsAt(...deltas: readonly number[]): Buffer {
  return Buffer.concat(deltas.map((delta) => Buffer.from([12, 0, 0, delta * 2, 1, 1, 0])));
}

async function read(bytes: Buffer, more: { readonly maxUnpackedBytes?: number } = {}) {
  const options = { codecs, checks: false, aborted: [], ...more };
  return (await FetchedRecords.scan(bytes, 0, bytes.length, 0, options))!.read();
}

describe("a batch that says what is not true", () => {
  it.each([
    ["jump ahead of the batch", recordsAt(0, 50, 2)],
    ["fall", recordsAt(0, 2, 1)],
    ["repeat", recordsAt(0, 1, 1)],
  ])("is damaged when its offsets %s", async (_, body) => {
    await expect(read(batchOf(body, 3))).rejects.toThrow(/has the offset/);
  });

  it("may have gaps", async () => {
    expect([...(await read(batchOf(recordsAt(0, 3, 9), 3, 0, 20))).offsets.subarray(0, 3)]).toEqual([0, 3, 9]);
  });

  it("is damaged when it counts more records than offsets, before there is room made for them", async () => {
    await expect(read(batchOf(recordsAt(0), 0x7fffffff, 0, 0))).rejects.toThrow(/2147483647 records for 1 offsets/);
  });

  it("is damaged when it counts more records than fit its bytes, packed or not", async () => {
    const body = recordsAt(0);
    await expect(read(batchOf(body, 0x7ffffff0))).rejects.toThrow(/too few/);
    const packed = await (await codecs.load(CODECS.gzip)).compress(body);
    await expect(read(batchOf(packed, 0x7ffffff0, CODECS.gzip))).rejects.toThrow(/too few/);
  });

  it.each(Object.entries(CODECS).slice(1))(
    "is damaged when it unfolds to more than is allowed: %s",
    async (_, codec) => {
      const writer = new RecordWriter();
      writer.plain(null, Buffer.alloc(100_000), []);
      const packed = await (await codecs.load(codec)).compress(writer.written());
      await expect(read(batchOf(packed, 1, codec), { maxUnpackedBytes: 50_000 })).rejects.toThrow();
      expect((await read(batchOf(packed, 1, codec), { maxUnpackedBytes: 200_000 })).count).toBe(1);
    },
  );

  it("is damaged when its blocks of snappy together unfold to more than is allowed", async () => {
    const codec = await codecs.load(CODECS.snappy);
    const block = await codec.compress(Buffer.alloc(40_000));
    const size = Buffer.alloc(4);
    size.writeInt32BE(block.length);
    const xerial = Buffer.from("82534e4150505900" + "0000000100000001", "hex");
    const framed = Buffer.concat([xerial, size, block, size, block]);
    const unfold = (most: number): number => {
      const out = new GrowingBuffer(16);
      codec.decompress(framed, 0, framed.length, out, most);
      return out.length;
    };
    expect(unfold(80_000)).toBe(80_000);
    expect(() => unfold(79_999)).toThrow(/too far/);
  });

  it("is damaged when a block of snappy claims a size that it cannot hold", async () => {
    const claim = Buffer.from("808080800200", "hex");
    await expect(read(batchOf(claim, 1, CODECS.snappy))).rejects.toThrow(/claims more/);
  });
});
