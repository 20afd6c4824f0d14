// How each contender is asked to do a job.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "./cache.mjs";
import { versionOf } from "./check.mjs";

export const CLI = fileURLToPath(new URL("../../apps/cli/dist/mqb.cjs", import.meta.url));
const PEERS = fileURLToPath(new URL("../peers/", import.meta.url));
const BENCH = fileURLToPath(new URL("../", import.meta.url));
const python = () => join(cacheFolder(), "peers", "bin", "python");

export function outPath(name) {
  return join(cacheFolder(), "out", name);
}

/** `mqb copy SOURCE SINK --drain`, with the defaults of the command. */
export function ours(source, sink, rest = {}) {
  return {
    name: "mqb",
    kind: "ours",
    argv: [process.execPath, CLI, "copy", source, sink, "--drain"],
    ...built(),
    ...rest,
  };
}

/** A route from a configuration file, with the defaults of the `copy` of the original but for the batches. */
export function oursRun(name, input, output, { batchSize = 1024, ...rest } = {}) {
  const config = outPath(`${name}.json`);
  const route = { input, output, batch_size: batchSize, concurrency: 4, exit_on_empty: true };
  writeFileSync(config, JSON.stringify({ routes: { [name]: route } }));
  const argv = [process.execPath, CLI, "--config", config, "--no-ui", "--no-metrics"];
  return { name: "mqb", kind: "ours", argv, ...built(), ...rest };
}

/** `mqb ARGS` */
export function oursBare(...args) {
  return { name: "mqb", kind: "ours", argv: [process.execPath, CLI, ...args], ...built() };
}

/** The same route in the original, from a configuration file. */
export function original(name, input, output, { batchSize = 1024, ...rest } = {}) {
  const config = outPath(`${name}.yaml`);
  // The defaults of `copy`. With one worker it takes as long: the differences lie within the spread.
  const route = { input, output, batch_size: batchSize, concurrency: 4, exit_on_empty: true };
  writeFileSync(config, JSON.stringify({ [name]: route }));
  const argv = [python(), join(PEERS, "original.py"), config, name];
  return { name: "original", kind: "peer", argv, ...installed("original.py"), ...rest };
}

export function duckdb(statement, rest = {}) {
  return {
    name: "DuckDB",
    kind: "peer",
    argv: [python(), join(PEERS, "duck.py"), statement],
    ...installed("duck.py"),
    ...rest,
  };
}

export function floor(name, path, args, rest = {}) {
  return script(`floor: ${name}`, "floor", join("floor", path), args, rest);
}

/** A script of this folder, by its path in it. */
export function script(name, kind, path, args, rest = {}) {
  return { name, kind, argv: [process.execPath, join(BENCH, path), ...args.map(String)], ...rest };
}

/** For scripts that import what `pnpm build` makes of a package. */
export function builtPackage(name) {
  return existsSync(join(BENCH, "..", "packages", name, "dist", "index.js"))
    ? {}
    : { missing: "not built (pnpm build)" };
}

/** What took part, for the head of the report. */
export function versions() {
  return {
    node: process.version,
    mqb: existsSync(CLI) ? (versionOf(process.execPath, CLI, "--version") ?? "does not start") : "not built",
    original: versionOf(python(), join(PEERS, "original.py"), "--version") ?? "not installed",
    DuckDB: versionOf(python(), join(PEERS, "duck.py"), "--version") ?? "not installed",
  };
}

function built() {
  return existsSync(CLI) ? {} : { missing: "not built (pnpm build)" };
}

function installed(script) {
  return versionOf(python(), join(PEERS, script), "--version") === undefined
    ? { missing: "not installed (bench/peers/install.sh)" }
    : {};
}
