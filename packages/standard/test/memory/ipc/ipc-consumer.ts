// Run as a process of its own: a route from a socket into a file. Ends by itself when it drains. Prints `ready` when it listens.
import { appendFileSync } from "node:fs";
import { createBridge, createRegistry } from "@mqb/core";
import standard from "../../../src/index.ts";

const [url, out, mode] = process.argv.slice(2) as [string, string, "stay" | "drain"];
const print = (message: string): void => void process.stderr.write(`${message}\n`);
const log = { debug: () => {}, info: () => {}, warn: print, error: print };
const bridge = createBridge({ registry: createRegistry([standard]), drainIdleMs: 1500, log });
const route = bridge.route(
  "in",
  { input: { memory: { url } }, output: null, exit_on_empty: mode === "drain" },
  { handler: (message) => appendFileSync(out, `${message.text()}\n`) },
);
await route.start();
process.stdout.write("ready\n");
process.on("SIGTERM", () => void route.stop());
const { outcome, accounting } = await route.done;
process.stdout.write(`${outcome} ${accounting.delivered}\n`);
