import { describe, expect, it } from "vitest";
import { OutputPool } from "../src/encode/output-pool.ts";

describe("the buffers of an encoder", () => {
  it("have exactly the size that was asked for, and are used again once they were given back", () => {
    const pool = new OutputPool();
    const first = pool.take(5000);
    expect(first).toHaveLength(5000);
    pool.release([first]);
    const second = pool.take(6000);
    expect(second).toHaveLength(6000);
    expect(second.buffer).toBe(first.buffer);
  });

  it("are never shared by two who have not given them back", () => {
    const pool = new OutputPool();
    const [a, b] = [pool.take(100), pool.take(100)];
    expect(a.buffer).not.toBe(b.buffer);
    pool.release([a, a]);
    expect(pool.take(100).buffer).not.toBe(pool.take(100).buffer);
  });

  it("are only those that it has given out: others are left alone", () => {
    const pool = new OutputPool();
    const foreign = Buffer.allocUnsafeSlow(8192);
    pool.release([foreign, foreign.subarray(0, 100)]);
    expect(pool.take(100).buffer).not.toBe(foreign.buffer);
  });
});
