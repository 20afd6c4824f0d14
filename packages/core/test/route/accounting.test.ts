import { describe, expect, it } from "vitest";
import { Accounting, NestedAccounting } from "../../src/route/accounting.ts";

describe("the accounting", () => {
  it("counts what was received and how each ended", () => {
    const accounting = new Accounting();
    accounting.receive(10);
    accounting.settle("delivered", 4);
    accounting.settle("dropped", 1);
    expect(accounting.snapshot()).toMatchObject({ received: 10, delivered: 4, dropped: 1, inFlight: 5 });
    expect(accounting.get("inFlight")).toBe(5);
    expect(accounting.imbalance()).toBe(0);
  });

  it("gives snapshots that do not change", () => {
    const accounting = new Accounting();
    const before = accounting.snapshot();
    accounting.receive(1);
    expect(before.received).toBe(0);
  });

  it("counts a part in the whole too, until the part is closed", () => {
    const whole = new Accounting();
    const part = new Accounting(whole);
    part.receive(5);
    part.settle("delivered", 2);
    part.close(true);
    part.settle("delivered", 3);
    part.receive(7);
    expect(part.snapshot()).toEqual(whole.snapshot());
    expect(whole.snapshot()).toMatchObject({ received: 5, delivered: 2, nacked: 3, inFlight: 0 });
  });
});

describe("the accounting of a source in another one", () => {
  it("counts as received what ends there, since the outer source never hands it on", () => {
    const whole = new Accounting();
    const nested = new NestedAccounting(new NestedAccounting(whole));
    nested.receive();
    nested.settle("filtered", 2);
    expect(whole.snapshot()).toMatchObject({ received: 2, filtered: 2, inFlight: 0 });
  });
});
