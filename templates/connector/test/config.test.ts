import { describe, expect, it } from "vitest";
import { pigeonholeSchema } from "../src/config.ts";

describe("the configuration of pigeonhole", () => {
  it("needs a path and fills in the rest", () => {
    expect(pigeonholeSchema.parse({ path: "inbox" })).toEqual({ path: "inbox", poll_ms: 50 });
  });

  it.each([{}, { path: "" }, { path: "a", poll_ms: 0 }, { path: "a", pat: "b" }])("refuses %j", (config) => {
    expect(pigeonholeSchema.safeParse(config).success).toBe(false);
  });
});
