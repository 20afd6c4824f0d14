import type { CheckContext } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { check } from "../src/check.ts";
import type { SqlxConfig } from "../src/config.ts";

const drivers = {
  postgres: { dialect: "postgres", tellsWriters: true, oneWriter: false },
  mysql: { dialect: "mysql", tellsWriters: false, oneWriter: false },
  sqlite: { dialect: "sqlite", tellsWriters: false, oneWriter: true },
};

function codes(
  scheme: keyof typeof drivers,
  config: Readonly<Record<string, unknown>>,
  context: Partial<CheckContext> = {},
): string[] {
  const driver = { bulkCopy: false, unused: [], urlFault: () => undefined, ...drivers[scheme] };
  const options = { url: `${scheme}://h/d`, table: "t", cursor_column: "id", cursor_id: "c", ...config };
  const at = { side: "input", draining: false, service: () => driver, ...context } as unknown as CheckContext;
  return check(options as unknown as SqlxConfig, at).map(
    ({ level, path, code }) => `${level} ${path.join(".")} ${code}`,
  );
}

describe("a cursor", () => {
  it("that can lose rows is warned of, unless somebody has said what shall be", () => {
    for (const scheme of ["postgres", "mysql"] as const) {
      expect(codes(scheme, {})).toEqual(["warning cursor_column MQB_SQL_CURSOR_LOSES"]);
      expect(codes(scheme, { cursor_safety: "none" })).toEqual([]);
      expect(codes(scheme, { cursor_safety: "lag", cursor_lag_ms: 1000 })).toEqual([]);
    }
    expect(codes("postgres", { cursor_safety: "snapshot" })).toEqual([]);
  });

  it("is not warned of where rows are committed in their order, or nothing is read after it", () => {
    expect(codes("sqlite", {})).toEqual([]);
    const once = codes("postgres", { cursor_id: null }, { draining: true });
    expect(once).toEqual(["note cursor_column MQB_SQL_NO_CURSOR_ID"]);
  });

  it.each([
    ["mysql", { cursor_safety: "snapshot" }, "MQB_SQL_NOT_HERE"],
    ["sqlite", { cursor_safety: "snapshot" }, "MQB_SQL_NOT_HERE"],
    ["postgres", { cursor_safety: "lag" }, "MQB_SQL_NEEDS"],
    ["postgres", { cursor_safety: "snapshot", cursor_lag_ms: 5 }, "MQB_SQL_NEEDS"],
  ] as const)("of %s with %j is refused", (scheme, config, code) => {
    const found = codes(scheme, config);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^error cursor_.* ${code}$`));
  });

  it("is what its safety is of: a queue has none", () => {
    const found = codes("postgres", { cursor_column: null, cursor_id: null, cursor_safety: "snapshot" });
    expect(found).toEqual(["error cursor_safety MQB_SQL_NEEDS"]);
  });
});
