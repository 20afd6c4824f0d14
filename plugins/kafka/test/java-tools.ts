import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { KAFKA_URL } from "./server.ts";

/** The jars that `scripts/services install kafka` has fetched; undefined where they are not. */
export function javaLibrary(): string | undefined {
  const given = process.env["MQB_TEST_KAFKA_LIB"];
  if (given) return given;
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "mqb-services");
  try {
    const found = readdirSync(cache).find((name) => /^kafka-[0-9a-f]{12}$/.test(name));
    return found && join(cache, found);
  } catch {
    return undefined;
  }
}

/** Runs a class of the tools that come with the broker. Resolves with what it has printed. */
export async function runTool(name: string, args: readonly string[], input = ""): Promise<string> {
  const options = ["-Xmx128m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"];
  const command = [...options, "-cp", join(javaLibrary()!, "*"), name, "--bootstrap-server", KAFKA_URL, ...args];
  const running = promisify(execFile)("java", command, { maxBuffer: 64 << 20, timeout: 60_000 });
  running.child.stdin!.end(input);
  return (await running).stdout;
}
