import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { reachable, requireService } from "./require-service.ts";

const broken = async () => "it is not installed";

describe("requireService", () => {
  it("lets the tests run when the server is usable", async () => {
    const fault = await requireService("redis", async () => undefined, { MQB_TEST_REQUIRE: "redis" });
    expect(fault).toBeUndefined();
  });

  it("skips with the reason and the remedy when nobody requires the server", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    expect(await requireService("redis", broken, {})).toBe("it is not installed");
    expect(warn.mock.calls.join()).toMatch(/redis: it is not installed.*scripts\/services install redis/);
  });

  it("fails when the comma list names the server", async () => {
    await expect(requireService("redis", broken, { MQB_TEST_REQUIRE: "kafka, redis" })).rejects.toThrow(
      /MQB_TEST_REQUIRE names redis, but it is not installed/,
    );
  });

  it("does not take a longer name for the server's", async () => {
    vi.spyOn(console, "warn").mockReturnValue();
    expect(await requireService("redis", broken, { MQB_TEST_REQUIRE: "redis-auth" })).toBe("it is not installed");
  });
});

describe("reachable", () => {
  it("finds a listening server, and its absence", async () => {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await reachable(url)()).toBeUndefined();
    await once(server.close(), "close");
    expect(await reachable(url)()).toMatch(/nothing answers at 127\.0\.0\.1:\d+/);
  });
});
