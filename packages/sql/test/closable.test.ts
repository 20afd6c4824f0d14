import { describe, expect, it } from "vitest";
import type { SqlDatabase } from "../src/contract.ts";
import { Closable } from "../src/state/closable.ts";

function closable(): { database: Closable; done: string[] } {
  const done: string[] = [];
  const close = async (): Promise<void> => void done.push("close");
  return { database: new Closable({ close } as Partial<SqlDatabase> as SqlDatabase), done };
}

describe("the database of a store that is closed", () => {
  it("is closed behind what is under way", async () => {
    const { database, done } = closable();
    let go!: () => void;
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const work = database.use(async () => {
      await held;
      done.push("work");
    });
    const closing = database.close();
    go();
    await Promise.all([closing, work]);
    expect(done).toEqual(["work", "close"]);
  });

  it("is closed all the same when the server says nothing", async () => {
    const { database, done } = closable();
    void database.use(() => new Promise(() => {}));
    await database.close();
    expect(done).toEqual(["close"]);
  });
});
