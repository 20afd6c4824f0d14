import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Rdkafka } from "../src/rdkafka/driver.ts";

/** Where node-rdkafka is installed, by `install-rdkafka.sh` or somebody else; undefined where it is not. */
export function rdkafkaFolder(): string | undefined {
  const cache = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const folder = process.env["MQB_TEST_RDKAFKA"] || join(cache, "mqb-services", "node-rdkafka-3.6.1");
  return existsSync(join(folder, "node_modules", "node-rdkafka", "build", "Release")) ? folder : undefined;
}

/** It is no dependency of the workspace: building it takes minutes. */
export function loadFromCache(): Rdkafka {
  return createRequire(join(rdkafkaFolder()!, "package.json"))("node-rdkafka") as Rdkafka;
}
