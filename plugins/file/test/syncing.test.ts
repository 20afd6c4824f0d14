import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { Message } from "@mqb/core/plugin";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FailingCalls } from "./failing-calls.ts";
import { Workbench } from "./support.ts";

const message = new Message("x");

describe("fsync", () => {
  let synced: ReturnType<typeof vi.spyOn>;
  beforeEach(() => {
    synced = vi.spyOn(fs, "fsync");
    syncBuiltinESMExports();
  });
  afterEach(() => {
    synced.mockRestore();
    syncBuiltinESMExports();
  });

  it("off leaves it to the system", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink({ path: "out.txt" });
    await sink.send(message);
    await sink.publisher.flush?.();
    await sink.close();
    expect(synced).not.toHaveBeenCalled();
  });

  it("batch has the data and the name on disk before the batch is accepted", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink({ path: "out.txt", fsync: "batch" });
    const opening = synced.mock.calls.length;
    expect(opening).toBeGreaterThan(0);
    await sink.send(message);
    await sink.send(message);
    expect(synced).toHaveBeenCalledTimes(opening + 2);
  });

  it("batch fails what could not be forced to the disk", async () => {
    await using bench = await Workbench.make();
    const sink = await bench.sink({ path: "out.txt", fsync: "batch" });
    using calls = new FailingCalls();
    calls.sync("EIO");
    await expect(sink.send(message)).rejects.toMatchObject({ code: "MQB_FILE_SYNC_FAILED", kind: "retryable" });
  });

  it("periodic syncs once per interval in which something was written", async () => {
    await using bench = await Workbench.make();
    const context = bench.context();
    const sink = await bench.sink({ path: "out.txt", fsync: "periodic", fsync_interval_ms: 50 }, context);
    const opening = synced.mock.calls.length;
    await sink.send(message);
    await sink.send(message);
    await context.clock.advance(40);
    expect(synced).toHaveBeenCalledTimes(opening);
    await context.clock.advance(10);
    expect(synced).toHaveBeenCalledTimes(opening + 1);
    await context.clock.advance(500);
    expect(synced).toHaveBeenCalledTimes(opening + 1);
    expect(context.clock.pending).toBe(0);
  });

  it("periodic tells the next sender of a sync that failed, and syncs when it is flushed", async () => {
    await using bench = await Workbench.make();
    const context = bench.context();
    const sink = await bench.sink({ path: "out.txt", fsync: "periodic" }, context);
    await sink.send(message);
    {
      using calls = new FailingCalls();
      calls.sync("EIO");
      await context.clock.advance(1000);
    }
    await expect(sink.send(message)).rejects.toMatchObject({ code: "MQB_FILE_SYNC_FAILED" });
    const before = synced.mock.calls.length;
    await sink.publisher.flush?.();
    expect(synced.mock.calls.length).toBe(before + 1);
    await sink.close();
    expect(synced.mock.calls.length).toBe(before + 1);
  });
});
