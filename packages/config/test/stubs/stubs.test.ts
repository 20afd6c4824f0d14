import { describe, expect, it } from "vitest";
import { ENDPOINTS } from "./endpoints.ts";
import { workspacePlugins } from "./workspace.ts";

const plugins = workspacePlugins();

describe("stubs", () => {
  it("stand only for endpoints that no package brings: delete the stub of one that came", () => {
    const brought = plugins.flatMap((plugin) => plugin.manifest.endpoints);
    expect(Object.keys(ENDPOINTS).filter((name) => brought.includes(name))).toEqual([]);
  });
});
