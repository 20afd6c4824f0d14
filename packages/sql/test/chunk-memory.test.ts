import { batchOf, type Delivery, type MessageBatch } from "@mqb/core/plugin";
import { expect, it, vi } from "vitest";
import { ChangeIds } from "../src/changes/change-id.ts";
import { INSERT } from "../src/changes/chunk.ts";
import { changeNames } from "../src/changes/fields.ts";
import { Handout } from "../src/changes/handout.ts";
import { ChangeLog } from "../src/changes/log.ts";
import { PhasedConsumer, type TablesConsumer } from "../src/changes/phased-consumer.ts";
import { RowEnds } from "../src/changes/row-ends.ts";

const TABLE = { schema: "s", table: "t", idPrefix: [0, 0, 0, 0] as never };
const WIDTH = 10_000;
/** More than one chunk has room for. */
const MANY = 150;
const ACK = { type: "ack" } as const;
const NACK = { type: "nack", error: new Error("no") } as const;

/** Transactions of rows that tell their number, handed out to somebody. */
class Lab {
  readonly log: ChangeLog = new ChangeLog(0n);
  private readonly ends = new RowEnds(this.log);
  private readonly handout: Handout;
  private count = 0;

  constructor() {
    const names = changeNames("db", "place", "log", String);
    const options = { ids: new ChangeIds("fnv1a"), names, source: "x", stamps: false, isSnapshot: false };
    this.handout = new Handout(this.log, options, () => Promise.resolve());
  }

  write(rows: number): void {
    this.log.begin();
    for (let i = 0; i < rows; i++) {
      const chunk = this.log.room(WIDTH + 16);
      const end = chunk.front + WIDTH;
      chunk.bytes.fill(`${this.count} `, chunk.front, end);
      this.ends.finish(chunk, TABLE, INSERT, end, this.count++, 0);
    }
    this.log.commit(BigInt(this.count));
  }

  next(max: number): Delivery {
    return this.handout.next(max)!;
  }

  /** Writes, takes and settles much more than what is used again, and gives the buffers that it lay in. */
  async pass(): Promise<Set<Uint8Array>> {
    const seen = new Set<Uint8Array>();
    for (let turn = 0; turn < 20; turn++) {
      this.write(MANY);
      while (this.log.hasReady) {
        const delivery = this.next(40);
        seen.add(delivery.batch.slab!.bytes);
        await delivery.commit();
        delivery.release!();
      }
    }
    return seen;
  }
}

function numbers(batch: MessageBatch): number[] {
  return Array.from(batch, (message) => {
    const text = message.text();
    const [number] = text.split(" ");
    // All of it is as it was written.
    expect(text === `${number} `.repeat(WIDTH).slice(0, WIDTH)).toBe(true);
    return Number(number);
  });
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

it("memory that was released is written again", async () => {
  expect((await new Lab().pass()).size).toBeLessThan(6);
});

it("memory of a delivery that is never released is left alone, beside others of its rows that are", async () => {
  const lab = new Lab();
  lab.write(MANY);
  // The first chunk is a small one.
  const [small, held, other] = [lab.next(MANY), lab.next(40), lab.next(MANY)];
  expect(held.batch.slab!.bytes === other.batch.slab!.bytes).toBe(true);
  for (const delivery of [small, held, other]) await delivery.commit();
  other.release!();
  other.release!();
  expect((await lab.pass()).has(held.batch.slab!.bytes)).toBe(false);
  const from = small.batch.length;
  expect(numbers(held.batch)).toEqual(range(from, from + 40));
});

it("what was handed out twice is left alone until both are released", async () => {
  const lab = new Lab();
  lab.write(MANY);
  const [small, first, second] = [lab.next(MANY), lab.next(40), lab.next(MANY)];
  const from = small.batch.length;
  await small.commit();
  await first.commit([NACK, ...Array.from({ length: 39 }, () => ACK)]);
  await second.commit();
  second.release!();
  const [again, rest] = [lab.next(40), lab.next(MANY)];
  for (const delivery of [again, rest]) await delivery.commit();
  again.release!();
  expect((await lab.pass()).has(rest.batch.slab!.bytes)).toBe(false);
  expect(numbers(rest.batch)).toEqual(range(from + 40, from + 40 + rest.batch.length));
});

it("rows that are not acked yet are left alone, whoever has released them", async () => {
  const lab = new Lab();
  lab.write(MANY);
  const [small, first] = [lab.next(MANY), lab.next(40)];
  for (const delivery of [small, first]) {
    await delivery.commit();
    delivery.release!();
  }
  lab.write(10 * MANY);
  const from = small.batch.length + first.batch.length;
  const next = lab.next(MANY);
  expect(next.batch.slab!.bytes === first.batch.slab!.bytes).toBe(true);
  expect(numbers(next.batch)).toEqual(range(from, from + next.batch.length));
});

it("rows of tables are given back by what reads them before changes", async () => {
  const release = vi.fn();
  const delivery = { batch: batchOf([new Uint8Array(1) as never]), commit: async () => {}, release };
  const tables = { isDone: false, receive: async () => delivery, close: async () => {} } as TablesConsumer;
  const consumer = new PhasedConsumer(tables, { finished: async () => {}, release: async () => {} });
  const received = await consumer.receive(1, new AbortController().signal);
  await received.commit();
  expect(release).not.toHaveBeenCalled();
  received.release!();
  expect(release).toHaveBeenCalledOnce();
});
