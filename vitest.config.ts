import { availableParallelism } from "node:os";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

// Tests run on the sources: the condition `@mqb/source` resolves workspace packages to `src`, no build needed.
const conditions = ["@mqb/source", ...defaultServerConditions];

// Tests of librdkafka hold threads of the pool while their brokers are away, and others need files and names meanwhile.
process.env["UV_THREADPOOL_SIZE"] ??= "16";
const roots = "{packages,plugins,apps,templates}/*/test/**";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // By default one core is left alone: of two, only one would be used.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: ["default", "./scripts/vitest-summary.ts"],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: [`${roots}/*.test.ts`, "{scripts,campaign}/test/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.integration.test.ts"],
          pool: "threads",
          isolate: false,
          server: { deps: { inline: [/mqb-plugin-/] } },
          // Not a measure of speed: a busy machine takes several times as long.
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: [`${roots}/*.integration.test.ts`, "{scripts,campaign}/test/**/*.integration.test.ts"],
          pool: "forks",
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
