import { describe, expect, it } from "vitest";
import { Body } from "../src/wire/body.ts";

describe("a body in pieces", () => {
  it("is kept in few of them, however small they come, and is whole at the end", () => {
    const body = new Body();
    const bytes = Buffer.from(Array.from({ length: 10_000 }, (_, i) => i % 251));
    for (const byte of bytes) body.add(Buffer.of(byte));
    expect(body.count).toBeLessThan(300);
    expect(body.whole()).toEqual(bytes);
  });

  it("is not copied while it comes in large ones", () => {
    const body = new Body();
    const chunk = Buffer.alloc(1024, 1);
    for (let i = 0; i < 300; i++) body.add(chunk);
    expect([body.count, body.size, body.whole().length]).toEqual([300, 300 * 1024, 300 * 1024]);
  });
});
