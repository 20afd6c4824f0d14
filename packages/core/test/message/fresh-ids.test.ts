import { afterEach, describe, expect, it, vi } from "vitest";
import { FreshIds, freshId, IdGenerator } from "../../src/message/id.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

function at(...millis: number[]): void {
  let i = 0;
  vi.spyOn(Date, "now").mockImplementation(() => millis[Math.min(i++, millis.length - 1)]!);
}

describe("fresh ids", () => {
  it("are UUIDs of version 7 that carry the milliseconds", () => {
    at(0x0123456789ab);
    expect(new IdGenerator().next()).toMatch(/^01234567-89ab-7000-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("ascend within a process", () => {
    const ids = Array.from({ length: 10_000 }, freshId);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("ascend within one millisecond, over the end of the counter", () => {
    at(1000);
    const generator = new IdGenerator();
    const ids = Array.from({ length: 4200 }, () => generator.next());
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[4095]!.slice(0, 18)).toBe("00000000-03e8-7fff");
    expect(ids[4096]!.slice(0, 18)).toBe("00000000-03e9-7000");
  });

  it("do not go back when the clock does", () => {
    at(5000, 4000, 4001, 6000);
    const generator = new IdGenerator();
    const ids = Array.from({ length: 4 }, () => generator.next());
    expect(ids).toEqual(ids.toSorted());
    expect(ids.map((id) => id.slice(9, 13))).toEqual(["1388", "1388", "1388", "1770"]);
  });
});

describe("ids that are made together", () => {
  it("are UUIDs of version 7 and ascend among all others", () => {
    const before = freshId();
    const many = new FreshIds(5000);
    const ids = [before, ...Array.from({ length: 5000 }, (_, index) => many.at(index)), freshId()];
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of [ids[1], ids[4097], ids[5000]])
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it("carry the milliseconds", () => {
    at(0x0123456789ab);
    expect(Buffer.from(new IdGenerator().many(1)).toString("hex")).toMatch(/^0123456789ab7000/);
  });

  it("are written as the text that they are", () => {
    const many = new FreshIds(3);
    const bytes = Buffer.alloc(40, "-");
    many.write(2, bytes, 3);
    expect(bytes.toString()).toBe(`---${many.at(2)}-`);
  });
});
