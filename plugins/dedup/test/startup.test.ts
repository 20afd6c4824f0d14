import type { CheckContext, Finding } from "@mqb/core/plugin";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type DeduplicationConfig, deduplicationSchema } from "../src/config.ts";
import plugin, { errors } from "../src/index.ts";
import { open } from "./opened.ts";

const context = { route: "r", service: () => ({}) } as unknown as CheckContext;

function findings(config: Partial<DeduplicationConfig>): readonly Finding[] {
  const settings = deduplicationSchema.parse({ ttl_seconds: 60, ...config });
  return plugin.middlewares!["deduplication"]!.check!(settings, context);
}

const codes = (config: Partial<DeduplicationConfig>) =>
  findings(config).map(({ level, path, code }) => `${level} ${path.join(".")} ${code}`);

afterEach(() => vi.unstubAllEnvs());

describe("a configuration", () => {
  it.each([
    [{}, "error  MQB_DEDUP_NO_STORE"],
    [{ store: "memory:", sled_path: "/d" }, "error  MQB_DEDUP_TWO_STORES"],
    [{ store: "memory://?max_keys=0" }, "error store MQB_DEDUP_STORE_URL"],
    [{ store: "memory://?keys=1" }, "error store MQB_DEDUP_STORE_URL"],
    [{ store: "sled:///d?durable=yes" }, "error store MQB_DEDUP_STORE_URL"],
    [{ store: "file://host/d" }, "error store MQB_DEDUP_STORE_URL"],
    [{ store: "sled://" }, "error store MQB_DEDUP_STORE_URL"],
    [{ store: "sqlite:x.db", replay_response: true }, "error replay_response MQB_DEDUP_REPLAY_STORE"],
    [{ store: "redis://h/0" }, "error store MQB_DEDUP_STORE_SCHEME"],
    [{ store: "memory:", key: "${payload:n" }, "error key MQB_DEDUP_KEY"],
    [{ store: "memory:", key: "constant" }, "error key MQB_DEDUP_KEY"],
    [{ store: "memory:", key: "${gen:uuid}" }, "error key MQB_DEDUP_KEY"],
    [{ store: "memory:", key: "${env:NOT_SET_ANYWHERE}${payload:n}" }, "error key MQB_DEDUP_KEY"],
    [{ store: "memory:", key: ["a", "b"] }, "error key MQB_DEDUP_KEY"],
    [{ store: "memory:", key: "${payload:a}|${payload:b}" }, "note key MQB_DEDUP_KEY_JOINED"],
  ])("%j: %s", (config, expected) => {
    expect(codes(config)).toEqual([expected]);
  });

  it.each([
    { store: "memory://orders?max_keys=5000000" },
    { store: "sled:///var/lib/d?durable=true" },
    { store: "/var/lib/d" },
    { store: "relative/d" },
    { sled_path: "/var/lib/d" },
    { store: "file:///var/lib/d" },
    { store: "postgres://localhost/etl/seen" },
    { store: "mariadb://localhost/etl" },
    { store: "sqlite:///var/lib/d.db?mode=rwc" },
    { store: "memory:", key: "${payload:a}" },
    { store: "memory:", key: ["${payload:a}", "${metadata:b}"] },
    { store: "memory:", key: "prefix-${message:id}", replay_response: true },
  ])("%j is fine", (config) => {
    expect(findings(config)).toEqual([]);
  });

  it("proposes the list for a key of several parts", () => {
    const [note] = findings({ store: "memory:", key: "${payload:a}-${payload:b}" });
    expect(note!.hint).toContain('key: ["${payload:a}", "${payload:b}"]');
  });

  it.each([
    ["mongodb://localhost/etl", "@mqb/mongodb"],
    ["mongodb+srv://host/etl", "@mqb/mongodb"],
  ])("names the package of a database: %s", (store, brings) => {
    const [finding] = findings({ store });
    expect([finding!.code, finding!.hint]).toEqual([errors.STORE_SCHEME.code, expect.stringContaining(brings)]);
  });

  it("names the package of a database that is not installed", () => {
    const settings = deduplicationSchema.parse({ ttl_seconds: 60, store: "mariadb://localhost/etl" });
    const bare = { route: "r", service: () => undefined } as unknown as CheckContext;
    const [finding] = plugin.middlewares!["deduplication"]!.check!(settings, bare);
    expect(finding).toMatchObject({
      code: errors.STORE_NOT_INSTALLED.code,
      hint: "install @mqb/mysql",
      path: ["store"],
    });
  });

  it.each([{ store: "memory:" }, { store: "memory:", ttl_seconds: 0 }, { store: "memory:", ttl_seconds: 1.5 }])(
    "without a time that can be: %j",
    (config) => {
      expect(deduplicationSchema.safeParse(config).success).toBe(false);
    },
  );
});

describe("a store in memory", () => {
  it("has the route's name unless it is given one", async () => {
    const { context: one } = await open({ store: "memory://" }, { route: "a" });
    expect(one.scope.local("@mqb/dedup:memory:a", () => undefined)).toBeDefined();
    expect(one.scope.local("@mqb/dedup:memory:", () => undefined)).toBeUndefined();
  });
});
