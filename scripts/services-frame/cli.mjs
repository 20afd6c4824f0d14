import { installPackages } from "./apt.mjs";
import { stateOf, verbs } from "./lifecycle.mjs";
import { withLock } from "./lock.mjs";
import { readRecord } from "./processes.mjs";
import { makeScratch, scratch } from "./scratch.mjs";
import { configuredPorts, makeData, meansOf } from "./server.mjs";
import { loadServers } from "./servers.mjs";

const USAGE = `usage: scripts/services VERB NAME…   ("all" = every server that is installed; for install, every one)

  install   what the servers need, without starting anything (root, Debian)
  up        start, and return when the server answers; the first start makes its data
  down      end cleanly; the data stays          kill      SIGKILL; the data stays
  restart   down, then up                        wipe      down, then remove the data
  pause     SIGSTOP: connections stay open and nothing answers
  resume    SIGCONT
  status    a table; exit 1 unless every named server is up (without names: unless every started one is)
  env       lines for the shell that tell the tests where the servers are (without names: those that run)

MQB_SERVICES_DIR   the scratch folder (mqb-services in the temporary folder)
MQB_SERVICES_WAIT  seconds that a start or a stop may take (60)
MQB_SERVICES_<NAME>_PORT  another port, below 32768
Exit codes: 0 done, 1 a server failed, 2 not understood.
`;

process.exitCode = await main(process.argv.slice(2));

/** @param {string[]} args */
async function main([verb, ...names]) {
  const servers = await loadServers();
  const list = [...servers.values()].map(({ name, about }) => `  ${name.padEnd(16)}${about}\n`).join("");
  if (verb === undefined || verb === "help" || verb === "--help") {
    (verb === undefined ? process.stderr : process.stdout).write(`${USAGE}\nServers:\n${list}`);
    return verb === undefined ? 2 : 0;
  }
  if (!["install", "status", "env", ...Object.keys(verbs)].includes(verb)) {
    process.stderr.write(`services: no such verb: ${verb}\n\n${USAGE}`);
    return 2;
  }
  const unknown = names.filter((name) => name !== "all" && !servers.has(name));
  if (unknown.length > 0 || (names.length === 0 && verb !== "status" && verb !== "env")) {
    const fault = unknown.length > 0 ? `no such server: ${unknown.join(", ")}` : `${verb} what?`;
    process.stderr.write(`services: ${fault}\n\nServers:\n${list}`);
    return 2;
  }
  const context = { places: scratch(process.env), env: process.env };
  try {
    const chosen = choose(servers, verb, names, context);
    if (verb === "install") return await install(chosen, context);
    if (verb === "env") return printEnv(chosen, context);
    if (verb === "status") return await printStatus(chosen, context, names.length > 0);
    return await change(/** @type {keyof typeof verbs} */ (verb), chosen, context);
  } catch (cause) {
    process.stderr.write(`services: ${/** @type {Error} */ (cause).message}\n`);
    return 1;
  }
}

/** @typedef {import("./server.mjs").Server} Server */
/** @typedef {import("./lifecycle.mjs").Context} Context */

/** @type {(servers: Map<string, Server>, verb: string, names: string[], context: Context) => Server[]} */
function choose(servers, verb, names, context) {
  const all = [...servers.values()];
  if (verb === "env" && names.length === 0) {
    return all.filter(({ name }) => readRecord(context.places.record(name)) !== undefined);
  }
  if (verb === "install" && names.includes("all")) return all;
  if (names.includes("all")) {
    return all.filter((server) => server.isInstalled(meansOf(server, context.places, context.env)));
  }
  if (names.length === 0) return all;
  return [...new Set(names)].map((name) => /** @type {Server} */ (servers.get(name)));
}

/** @type {(verb: keyof typeof verbs, chosen: Server[], context: Context) => Promise<number>} */
async function change(verb, chosen, context) {
  const work = /** @type {(typeof verbs)[string]} */ (verbs[verb]);
  const results = await Promise.all(
    chosen.map((server) =>
      work(server, context).then(
        (line) => {
          process.stdout.write(`${server.name}: ${line}\n`);
          return true;
        },
        (cause) => {
          process.stderr.write(`${server.name}: ${cause.message}\n`);
          return false;
        },
      ),
    ),
  );
  return results.every(Boolean) ? 0 : 1;
}

/** @type {(chosen: Server[], context: Context) => Promise<number>} */
async function install(chosen, context) {
  makeScratch(context.places);
  // A build from source may take minutes, and whoever comes second waits for it.
  await withLock(context.places.lock("install"), 3600, async () => {
    installPackages(
      chosen.flatMap(({ packages }) => packages),
      (line) => process.stdout.write(`${line}\n`),
    );
    for (const server of chosen) {
      const means = meansOf(server, context.places, context.env);
      if (server.install !== undefined) {
        makeData(means);
        await server.install(means);
      }
      if (!server.isInstalled(means)) throw new Error(`${server.name}: its packages do not bring what is expected`);
      process.stdout.write(`${server.name}: is installed\n`);
    }
  });
  return 0;
}

/** @type {(chosen: Server[], context: Context) => number} */
function printEnv(chosen, context) {
  for (const server of chosen) {
    for (const [name, value] of Object.entries(server.env(meansOf(server, context.places, context.env)))) {
      process.stdout.write(`export ${name}='${value.replaceAll("'", "'\\''")}'\n`);
    }
  }
  return 0;
}

/** @type {(chosen: Server[], context: Context, named: boolean) => Promise<number>} */
async function printStatus(chosen, context, named) {
  const rows = await Promise.all(
    chosen.map(async (server) => {
      const state = await stateOf(server, context);
      const record = readRecord(context.places.record(server.name));
      const pid = record?.processes.at(-1)?.pid ?? "-";
      const ports = Object.values(record?.ports ?? configuredPorts(server, context.env)).join(" ");
      return { name: server.name, state, pid, ports };
    }),
  );
  const row = (/** @type {unknown[]} */ ...cells) =>
    `${cells
      .map((cell) => String(cell).padEnd(16))
      .join("")
      .trimEnd()}\n`;
  process.stdout.write(row("NAME", "STATE", "PID", "PORTS"));
  for (const { name, state, pid, ports } of rows) process.stdout.write(row(name, state, pid, ports));
  const bad = rows.filter(({ state }) => state !== "up" && (named || (state !== "down" && state !== "missing")));
  return bad.length === 0 ? 0 : 1;
}
