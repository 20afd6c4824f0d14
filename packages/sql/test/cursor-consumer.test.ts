import { nack, type Slab } from "@mqb/core/plugin";
import { FakeClock, isPending, recordingLogger, texts } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { PreparedPages } from "../src/contract.ts";
import { CursorConsumer } from "../src/source/cursor-consumer.ts";
import { Horizon, writersFence } from "../src/source/horizon.ts";
import { Pauses } from "../src/source/pause.ts";
import { Saver } from "../src/source/saver.ts";

const never = new AbortController().signal;

/** Pages of rows 1 to `rows`. The second one waits until the test lets it go. */
class Pages implements PreparedPages {
  readonly kind = "int";
  readonly back: string[] = [];
  go!: () => void;
  private readonly rows: number;
  private readonly released = new Promise<void>((resolve) => {
    this.go = resolve;
  });
  private reads = 0;

  constructor(rows: number) {
    this.rows = rows;
  }

  async read(after: string | undefined, limit: number, _signal: AbortSignal, upTo?: string): Promise<Slab> {
    const from = Number(after ?? 0) + 1;
    const to = Math.min(this.rows, Number(upTo ?? this.rows), from + limit - 1);
    if (++this.reads === 2) await this.released;
    return slab(Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => `{"id":${from + i}}`));
  }

  giveBack({ bytes }: Slab): void {
    this.back.push(bytes.toString());
  }

  async last(): Promise<string> {
    return String(this.rows);
  }

  async writers(): Promise<ReadonlySet<string>> {
    return new Set();
  }
}

function slab(lines: readonly string[]): Slab {
  const starts = new Uint32Array(lines.length);
  const ends = new Uint32Array(lines.length);
  let at = 0;
  for (const [i, line] of lines.entries()) {
    starts[i] = at;
    at += Buffer.byteLength(line);
    ends[i] = at;
  }
  return { bytes: Buffer.from(lines.join("")), starts, ends };
}

function opened(pages: Pages, draining: boolean): CursorConsumer {
  const [clock, log] = [new FakeClock(), recordingLogger()];
  const fence = writersFence(pages);
  return new CursorConsumer({
    pages,
    column: "id",
    table: "t",
    target: "t",
    after: undefined,
    saver: new Saver({ kind: "int", acked: undefined, session: new Map(), stored: undefined, clock, log }),
    horizon: new Horizon({ pages, fence, once: draining, clock, log, target: "t" }),
    stamp: false,
    pauses: new Pauses(clock, 100, undefined),
    draining,
    log,
    details: {},
    release: async () => {},
  });
}

describe("rows that are nacked while the next page is being read", () => {
  it.each([true, false])(
    "are handed out again, although that page was the last one (draining: %s)",
    async (draining) => {
      const pages = new Pages(4);
      const consumer = opened(pages, draining);
      const first = await consumer.receive(2, never);
      const next = consumer.receive(2, never);
      expect(await isPending(next)).toBe(true);
      await first.commit([nack(new Error("no")), nack(new Error("no"))]);
      pages.go();
      const again = await next;
      expect(texts(again.batch)).toEqual(['{"id":1}', '{"id":2}']);
      await again.commit(undefined);
      expect(texts((await consumer.receive(2, never)).batch)).toEqual(['{"id":3}', '{"id":4}']);
      await consumer.close();
    },
  );
});

describe("the memory of a page", () => {
  const open = async () => {
    const pages = new Pages(8);
    pages.go();
    const consumer = opened(pages, true);
    // Of a page of five rows four are handed out: the run of the last one may go on in the next.
    const pageOfFive = await consumer.receive(4, never);
    return { pages, consumer, pageOfFive };
  };

  it("is given back when nobody looks at any of its rows", async () => {
    const { pages, consumer, pageOfFive } = await open();
    expect(texts(pageOfFive.batch)).toHaveLength(4);
    const second = await consumer.receive(2, never);
    const third = await consumer.receive(4, never);
    await pageOfFive.commit(undefined);
    pageOfFive.release?.();
    expect(pages.back).toEqual(['{"id":1}{"id":2}{"id":3}{"id":4}{"id":5}']);
    await third.commit(undefined);
    third.release?.();
    expect(pages.back).toHaveLength(1);
    await second.commit(undefined);
    second.release?.();
    expect(pages.back).toEqual([expect.any(String), '{"id":5}{"id":6}{"id":7}{"id":8}']);
    await consumer.close();
  });

  it("is kept while rows of it are still to be handed out", async () => {
    const pages = new Pages(8);
    pages.go();
    const consumer = opened(pages, true);
    const whole = await consumer.receive(4, never);
    await whole.commit(undefined);
    whole.release?.();
    const first = await consumer.receive(1, never);
    await first.commit(undefined);
    first.release?.();
    expect(pages.back).toHaveLength(1);
    expect(texts((await consumer.receive(4, never)).batch)).toEqual(['{"id":6}', '{"id":7}', '{"id":8}']);
    await consumer.close();
  });

  it("is not given back when rows of it go back to their source", async () => {
    const { pages, consumer, pageOfFive } = await open();
    await pageOfFive.commit([
      nack(new Error("no")),
      nack(new Error("no")),
      nack(new Error("no")),
      nack(new Error("no")),
    ]);
    expect(pages.back).toEqual([]);
    await consumer.close();
  });
});
