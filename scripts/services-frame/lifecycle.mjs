import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { withLock } from "./lock.mjs";
import { isFree } from "./probe.mjs";
import { family, gone, isAlive, isStopped, readRecord, removeRecord, signal } from "./processes.mjs";
import { makeScratch } from "./scratch.mjs";
import { configuredPorts, makeData, meansOf } from "./server.mjs";

/** @typedef {import("./server.mjs").Server} Server */
/** @typedef {{ places: import("./scratch.mjs").Scratch, env: Readonly<Record<string, string | undefined>> }} Context */

/**
 * missing: not installed · down: not started, or stopped by us · dead: started, and ended by itself ·
 * paused: by SIGSTOP · unready: runs and does not serve · up: serves
 * @typedef {"missing" | "down" | "dead" | "paused" | "unready" | "up"} State
 */

/**
 * The verbs that change one server. Each waits for the lock of that server, returns a line that says what it did and
 * may be called again at once; calls for different servers do not wait for each other.
 * @type {Record<string, (server: Server, context: Context) => Promise<string>>}
 */
export const verbs = {
  up: locked(up),
  down: locked(down),
  kill: locked(kill),
  restart: locked(async (server, context) => `${await down(server, context)}, ${await up(server, context)}`),
  pause: locked((server, context) => signalAll(server, context, "SIGSTOP", "paused")),
  resume: locked((server, context) => signalAll(server, context, "SIGCONT", "resumed")),
  wipe: locked(wipe),
};

/**
 * @param {Server} server
 * @param {Context} context
 * @returns {Promise<State>}
 */
export async function stateOf(server, context) {
  const record = readRecord(context.places.record(server.name));
  const means = meansOf(server, context.places, context.env);
  if (record === undefined) return server.isInstalled(means) ? "down" : "missing";
  if (!record.processes.every(isAlive)) return "dead";
  if (record.processes.some(isStopped)) return "paused";
  return server.ready(means).then(
    () => "up",
    () => "unready",
  );
}

/** @type {(server: Server, context: Context) => Promise<string>} */
async function up(server, context) {
  const began = Date.now();
  const { places, env } = context;
  const state = await stateOf(server, context);
  if (state === "up") return "is up already";
  if (state === "missing") throw new Error("is not installed: run install first");
  if (state === "paused") throw new Error("is paused: run resume first");
  const logged = existsSync(places.log(server.name)) ? statSync(places.log(server.name)).size : 0;
  if (state !== "unready") {
    // Of several processes one may have ended and others not.
    if (state === "dead") await kill(server, context);
    for (const port of Object.values(configuredPorts(server, env))) {
      if (!(await isFree(port))) throw new Error(`port ${port} is taken by another process`);
    }
    const means = meansOf(server, places, env);
    makeData(means);
    await server.start(means).catch((cause) => fail(`could not start: ${cause.message}`));
  }
  const limit = waitMilliseconds(server, env);
  let reason = "";
  for (;;) {
    const means = meansOf(server, places, env);
    const served = await server.ready(means).then(
      () => true,
      (cause) => {
        reason = cause.message;
        return false;
      },
    );
    // Checked after the answer: it must not have been another server's that took the port.
    const record = readRecord(places.record(server.name));
    if (record === undefined || !record.processes.every(isAlive)) await fail("ended while it started");
    if (served) break;
    if (Date.now() - began > limit) await fail(`does not serve after ${limit / 1000} s (${reason})`);
    await pause(20);
  }
  return `is up on port ${meansOf(server, places, env).ports["main"]} after ${Date.now() - began} ms`;

  /**
   * Leaves nothing running behind, and quotes the log of this start.
   * @param {string} what
   * @returns {Promise<never>}
   */
  async function fail(what) {
    await kill(server, context);
    const log = existsSync(places.log(server.name)) ? readFileSync(places.log(server.name)).subarray(logged) : "";
    throw new Error(`${what}\n${log.toString().trimEnd().split("\n").slice(-20).join("\n")}`);
  }
}

/** @type {(server: Server, context: Context) => Promise<string>} */
async function down(server, context) {
  const record = readRecord(context.places.record(server.name));
  if (record === undefined) return "is down already";
  const began = Date.now();
  for (const main of record.processes.toReversed()) {
    const members = family(main);
    for (const member of members) signal(member, "SIGCONT");
    signal(main, server.stopSignal ?? "SIGTERM");
    if (!(await gone(members, waitMilliseconds(server, context.env)))) {
      await kill(server, context);
      throw new Error("did not end when asked, and was killed");
    }
  }
  removeRecord(context.places.record(server.name));
  return `is down after ${Date.now() - began} ms`;
}

/** @type {(server: Server, context: Context) => Promise<string>} */
async function kill(server, context) {
  const record = readRecord(context.places.record(server.name));
  if (record === undefined) return "is down already";
  // Children too, and not before they are gone is it done: PostgreSQL's hold its shared memory.
  const members = record.processes.flatMap(family);
  for (const member of members) signal(member, "SIGKILL");
  if (!(await gone(members, 10_000))) throw new Error("still runs 10 s after SIGKILL");
  removeRecord(context.places.record(server.name));
  return "is killed";
}

/** @type {(server: Server, context: Context) => Promise<string>} */
async function wipe(server, context) {
  await down(server, context);
  rmSync(context.places.data(server.name), { recursive: true, force: true });
  rmSync(context.places.log(server.name), { force: true });
  return "is wiped";
}

/** @type {(server: Server, context: Context, name: NodeJS.Signals, done: string) => Promise<string>} */
async function signalAll(server, context, name, done) {
  const record = readRecord(context.places.record(server.name));
  const members = record?.processes.flatMap(family) ?? [];
  if (members.length === 0) throw new Error("is not running");
  for (const member of members) signal(member, name);
  return `is ${done}`;
}

/**
 * @param {(server: Server, context: Context) => Promise<string>} verb
 * @returns {(server: Server, context: Context) => Promise<string>}
 */
function locked(verb) {
  return (server, context) => {
    makeScratch(context.places);
    const wait = (2 * waitMilliseconds(server, context.env)) / 1000;
    return withLock(context.places.lock(server.name), wait, () => verb(server, context));
  };
}

/**
 * @param {Server} server
 * @param {Context["env"]} env
 */
function waitMilliseconds(server, env) {
  const seconds = Number(env["MQB_SERVICES_WAIT"] || server.waitSeconds || 60);
  if (!(seconds > 0)) throw new Error(`MQB_SERVICES_WAIT=${env["MQB_SERVICES_WAIT"]}: a number of seconds is needed`);
  return seconds * 1000;
}
