import { batchOf, Message } from "@mqb/core/plugin";
import { Packr } from "msgpackr";
import { describe, expect, it } from "vitest";
import { FrameWriter } from "../../../src/memory/ipc/frame-writer.ts";
import { ID, read, shown } from "./frames.ts";

/** As `rmp_serde`, which mq-bridge uses: no records, maps as objects would lose the order of their keys. */
const packr = new Packr({ useRecords: false, mapsAsObjects: false, useBigIntExtension: false });

const TEXTS = [
  "",
  "a",
  "kind",
  "x".repeat(31),
  "x".repeat(32),
  "x".repeat(63),
  "x".repeat(64),
  "y".repeat(300),
  "ü",
  `${"z".repeat(62)}ü`,
  "東京 🚀",
  "__proto__",
  "\0",
];
const LENGTHS = [0, 1, 31, 255, 256, 65_535, 65_536];

function samples(): Message[] {
  const texts = (from: number, count: number) =>
    Array.from(
      { length: count },
      (_, i) => [`${i} ${TEXTS[(from + i) % TEXTS.length]}`, TEXTS[(from * 7 + i) % TEXTS.length]!] as const,
    );
  return [0, 1, 15, 16, 40].flatMap((pairs, p) =>
    LENGTHS.map((length, l) => {
      const id = `${ID.slice(0, -4)}${String(1000 + p * 10 + l)}`;
      return new Message(Buffer.alloc(length, p + l), new Map(texts(p + l, pairs)), id);
    }),
  );
}

describe("another implementation of MessagePack", () => {
  it("reads what is written here", () => {
    const sent = samples();
    const frame = new FrameWriter().write(batchOf(sent), 0, sent.length)!;
    const list = packr.unpack(frame.subarray(4)) as [string, Uint8Array, Map<string, string>?][];
    const got = list.map(([id, payload, metadata]) => new Message(payload, metadata ?? new Map(), id));
    expect(shown(got)).toEqual(shown(sent));
  });

  it("writes what is read here, as lists and as maps", () => {
    const sent = samples();
    const lists = sent.map(({ id, payload, metadata }) => [id, Buffer.from(payload), metadata]);
    expect(shown(read(packr.pack(lists)))).toEqual(shown(sent));
    const maps = sent.map(
      ({ id, payload, metadata }) =>
        new Map<string, unknown>([
          ["metadata", metadata],
          ["more", { a: [1, 2.5, null, "x"] }],
          ["payload", Buffer.from(payload)],
          ["message_id", id],
        ]),
    );
    expect(shown(read(packr.pack(maps)))).toEqual(shown(sent));
  });
});
