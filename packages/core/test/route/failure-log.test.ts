import { describe, expect, it } from "vitest";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { Drops } from "../../src/route/drops.ts";
import { FakeLogger } from "../fakes/logger.ts";

const of = (code: string) => new MqbError(code, "permanent", `because of ${code}`);

describe("dropped messages", () => {
  it("are counted by cause, and logged ten times of each", () => {
    const log = new FakeLogger();
    const drops = new Drops("r", log);
    for (let i = 0; i < 50; i++) drops.add(`a${i}`, of("MQB_A"));
    drops.add("b0", of("MQB_B"));
    drops.add("c0", new Error("no code"));
    expect(drops.list()).toEqual([
      { code: "MQB_A", count: 50, cause: "because of MQB_A" },
      { code: "MQB_B", count: 1, cause: "because of MQB_B" },
      { code: "MQB_UNKNOWN", count: 1, cause: "no code" },
    ]);
    const lines = log.at("error");
    expect(lines).toHaveLength(12);
    expect(lines[0]).toBe("Dropping message a0 due to non-retryable error: because of MQB_A");
    expect(lines[9]).toContain("(further ones of this cause are not logged)");
    expect(lines[10]).toContain("b0");
  });

  it("are logged with route, code and error", () => {
    const log = new FakeLogger();
    const error = of("MQB_A");
    new Drops("r", log).add("a", error);
    expect(log.lines[0]!.fields).toEqual({ route: "r", code: "MQB_A", error });
  });
});

describe("messages that go back", () => {
  it("are logged once per batch, ten times of each cause", () => {
    const log = new FakeLogger();
    const drops = new Drops("r", log);
    for (let i = 0; i < 50; i++) drops.returned(3, `id${i}`, of("MQB_A"));
    drops.returned(1, "x", of("MQB_B"));
    expect(log.at("warn")).toHaveLength(11);
    expect(log.at("warn")[0]).toBe("3 messages, the first of them id0, go back to the source: because of MQB_A");
    expect(log.at("warn")[10]).toBe("Message x goes back to the source: because of MQB_B");
    expect(drops.list()).toEqual([]);
  });
});
