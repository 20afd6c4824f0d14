import { TempDir, testStateStore } from "@mqb/testkit";
import { describe, it } from "vitest";
import standard from "../../src/index.ts";

testStateStore({ describe, it }, { plugin: standard, scheme: "memory", fresh: () => ({ url: "memory:" }) });

testStateStore(
  { describe, it },
  {
    plugin: standard,
    scheme: "file",
    async fresh() {
      const folder = await TempDir.make();
      return { url: `file://${folder.path}/state.json`, cleanup: () => folder.remove() };
    },
    manyKeys: 2_000,
  },
);
