import type { StateEntry, StateWrite, WriteResult } from "@mqb/core/plugin";
import { FakeClock } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { SqlDatabase } from "../src/contract.ts";
import { errors } from "../src/errors.ts";
import { deleteRows, type Execute, TableStore } from "../src/state/table-store.ts";

const entry: StateEntry = { key: "a", value: Buffer.from("there"), version: "1" };
const write = (key: string): StateWrite => ({ key, value: Buffer.from("new") });

/** Says what is asked of the database, statement by statement. */
class Recorded extends TableStore {
  static on(answers: { readonly writes?: readonly (WriteResult | Error)[]; readonly one?: boolean } = {}) {
    const said: string[] = [];
    const clock = new FakeClock();
    const execute: Execute = async (sql) => {
      said.push(sql);
      return [];
    };
    const database = {
      execute,
      async transaction(work: (execute: Execute) => Promise<unknown>) {
        said.push("begin");
        return work(execute);
      },
    } as Partial<SqlDatabase> as SqlDatabase;
    return { said, clock, store: new Recorded(database, clock, answers) };
  }
  private readonly answers: (WriteResult | Error)[];
  protected override readonly oneStatement: number;
  sweeps = 0;

  private constructor(
    database: SqlDatabase,
    clock: FakeClock,
    { writes = [], one = false }: { writes?: readonly (WriteResult | Error)[]; one?: boolean },
  ) {
    super(database, clock);
    this.answers = [...writes];
    this.oneStatement = one ? 2 : 0;
  }

  protected creation(): readonly string[] {
    return ["make the table", "make the index"];
  }
  protected async read(execute: Execute, keys: readonly string[]): Promise<Map<string, StateEntry>> {
    await execute(`read ${keys.join(" ")}`, []);
    return new Map([["a", entry]]);
  }
  protected async write(execute: Execute, writes: readonly StateWrite[]): Promise<readonly WriteResult[]> {
    await execute(`write ${writes.map(({ key }) => key).join(" ")}`, []);
    return writes.map(() => {
      const answer = this.answers.shift() ?? { type: "written", version: "2" };
      if (answer instanceof Error) throw answer;
      return answer;
    });
  }
  protected remove(execute: Execute, keys: readonly string[]): Promise<void> {
    return deleteRows(execute, { table: "t", key: "k", atOnce: 2 }, keys);
  }
  protected override groups(writes: readonly StateWrite[]): readonly (readonly number[])[] {
    return [writes.map((_, i) => i)];
  }
  protected override async sweep(): Promise<void> {
    this.sweeps++;
    throw new Error("the table is busy");
  }
}

describe("a store in a table", () => {
  it("is made by its statements, one after another", async () => {
    const { store, said } = Recorded.on();
    await store.create();
    expect(said).toEqual(["make the table", "make the index"]);
  });

  it("gives what is there for each key, in the order asked for", async () => {
    const { store } = Recorded.on();
    expect(await store.getMany(["b", "a", "b", "a"])).toEqual([undefined, entry, undefined, entry]);
  });

  it("says what is in the way of a write that was refused, and looks for that in the same transaction", async () => {
    const other: StateEntry = { ...entry, key: "c" };
    const { store, said } = Recorded.on({
      writes: [{ type: "conflict" }, { type: "written", version: "2" }, { type: "conflict", current: other }],
    });
    expect(await store.putMany([write("a"), write("b"), write("c")])).toEqual([
      { type: "conflict", current: entry },
      { type: "written", version: "2" },
      { type: "conflict", current: other },
    ]);
    expect(said).toEqual(["begin", "write a b c", "read a"]);
  });

  it("writes what one statement writes without a transaction, and nothing at all for nothing", async () => {
    const { store, said } = Recorded.on({ one: true });
    await store.putMany([write("a")]);
    await store.putMany([]);
    await store.putMany([write("a"), write("b"), write("c")]);
    expect(said).toEqual(["write a", "begin", "write a b c"]);
  });

  it("begins a write again that another one was in the way of", async () => {
    const { store, said } = Recorded.on({ writes: [errors.BUSY({ target: "a table", reason: "it is locked" })] });
    expect(await store.putMany([write("a")])).toEqual([{ type: "written", version: "2" }]);
    expect(said).toEqual(["begin", "write a", "begin", "write a"]);
  });

  it("waits before it tries for the third time: two that lock each other out would meet again", async () => {
    const busy = errors.BUSY({ target: "a table", reason: "it is locked" });
    const { store, said, clock } = Recorded.on({ writes: [busy, busy] });
    const written = store.putMany([write("a")]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toEqual(["begin", "write a", "begin", "write a"]);
    await clock.advance(200);
    expect(await written).toEqual([{ type: "written", version: "2" }]);
    expect(said).toHaveLength(6);
  });

  it("sweeps once a minute at most, whatever becomes of it", async () => {
    const { store, clock } = Recorded.on();
    for (const ms of [0, 59_999, 1, 30_000, 30_000]) {
      await clock.advance(ms);
      await store.putMany([write("a")]);
    }
    expect(store.sweeps).toBe(2);
  });

  it("deletes each row once, in the order of the keys, some at a time", async () => {
    const { store, said } = Recorded.on();
    await store.deleteMany(["c", "a", "b", "c"]);
    expect(said).toEqual(["DELETE FROM t WHERE k IN (?, ?)", "DELETE FROM t WHERE k IN (?)"]);
  });
});
