import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Frees statements that nobody refers to any more, and with them the file of a connection that was closed:
 * `@photostructure/sqlite` 1.2 finalizes statements when they are collected, and only then.
 */
export async function collectStatements(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  // Finalizers run in a turn of their own.
  await setImmediate();
}
