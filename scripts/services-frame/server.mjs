// The contract between the frame and one file of services.d, and the means that the frame lends to it.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { certificates, copyCertificates } from "./certificates.mjs";
import { identify, readRecord, writeRecord } from "./processes.mjs";
import { checkReachable } from "./scratch.mjs";

/**
 * What a file of services.d exports as default.
 * @typedef {object} Server
 * @property {string} name
 * @property {string} about             one line for the list of servers
 * @property {Record<string, number>} ports  by role, the first one is `main`; all below 32768, where no outgoing
 *   connection is given a port. MQB_SERVICES_<NAME>_PORT moves `main`, MQB_SERVICES_<NAME>_<ROLE>_PORT another.
 * @property {readonly string[]} packages    Debian packages
 * @property {string} [user]            who it runs as when we are root; the package makes this user
 * @property {NodeJS.Signals} [stopSignal]   asks for a clean end without waiting for clients; SIGTERM if absent
 * @property {number} [waitSeconds]     how long a start or a stop may take; MQB_SERVICES_WAIT overrides it; 60 if absent
 * @property {(means: Means) => boolean} isInstalled
 * @property {(means: Means) => Promise<void>} [install]  what the packages do not bring; called when they are there,
 *   and again at every `install`: it must find out for itself what is done already
 * @property {(means: Means) => Promise<void>} start  prepares the data folder if it is empty and spawns; the record says
 *   that nothing of it runs. What an earlier SIGKILL left in the data folder is to be cleared here.
 * @property {(means: Means) => Promise<void>} ready  one attempt to speak the protocol; rejects while the server does
 *   not serve. Called again and again.
 * @property {(means: Means) => Record<string, string>} env  what a test needs to find the server: MQB_TEST_…
 */

/**
 * @typedef {object} Means
 * @property {string} data              the server's own folder, there and owned by its user
 * @property {Record<string, number>} ports   as the running server has them, else as configured
 * @property {(argv: readonly string[], options?: SpawnOptions) => Promise<void>} spawn  starts a process of the server
 *   in a session of its own; its output goes to the log. The processes end in the opposite order.
 * @property {(argv: readonly string[], options?: SpawnOptions) => Promise<string>} run  runs a command to its end and
 *   returns what it printed; rejects with its complaint when it fails
 * @property {(path: string) => void} give     makes the server's user the owner of a file or folder
 * @property {() => Promise<import("./certificates.mjs").CertificateFiles>} certificates  the server's own copies
 * @property {string} ca                the authority that clients trust; there once a server has asked for certificates
 */

/** @typedef {{ role?: string, env?: Record<string, string>, asRoot?: boolean }} SpawnOptions */

/**
 * @param {Server} server
 * @param {import("./scratch.mjs").Scratch} places
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Means}
 */
export function meansOf(server, places, env) {
  const record = places.record(server.name);
  const data = places.data(server.name);
  const base = { PATH: env["PATH"] ?? "/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8", HOME: data };
  const give = (/** @type {string} */ path) => {
    const owner = ownerOf(server);
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  };
  return {
    data,
    ports: readRecord(record)?.ports ?? configuredPorts(server, env),
    give,
    ca: join(places.certificates, "made", "ca.pem"),
    certificates: async () =>
      copyCertificates(await certificates(places), join(places.certificates, server.name), give),
    async run(argv, options = {}) {
      const [command, ...args] = /** @type {[string, ...string[]]} */ (argv);
      const owner = options.asRoot ? undefined : ownerOf(server);
      const done = await promisify(execFile)(command, args, {
        cwd: data,
        env: { ...base, ...options.env },
        maxBuffer: 64 << 20,
        ...owner,
      });
      return done.stdout;
    },
    async spawn(argv, options = {}) {
      const [command, ...args] = /** @type {[string, ...string[]]} */ (argv);
      if (server.user !== undefined && ownerOf(server) !== undefined) checkReachable(places, server.user);
      const log = openSync(places.log(server.name), "a");
      const child = spawn(command, args, {
        cwd: data,
        env: { ...base, ...options.env },
        detached: true,
        stdio: ["ignore", log, log],
        ...ownerOf(server),
      });
      closeSync(log);
      await once(child, "spawn");
      child.unref();
      const known = identify(/** @type {number} */ (child.pid), options.role);
      if (known === undefined) throw new Error(`${command} ended at once`);
      const before = readRecord(record) ?? { processes: [], ports: configuredPorts(server, env) };
      writeRecord(record, { ...before, processes: [...before.processes, known] });
    },
  };
}

/**
 * Makes the data folder and gives it to the server's user.
 * @param {Means} means
 */
export function makeData(means) {
  mkdirSync(means.data, { recursive: true, mode: 0o700 });
  means.give(means.data);
}

/**
 * @param {Server} server
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function configuredPorts(server, env) {
  /** @type {Record<string, number>} */
  const ports = {};
  for (const [role, standard] of Object.entries(server.ports)) {
    const name = ["MQB_SERVICES", server.name, ...(role === "main" ? [] : [role]), "PORT"].join("_");
    const variable = name.replaceAll("-", "_").toUpperCase();
    const port = Number(env[variable] || standard);
    if (!Number.isInteger(port) || port < 1024 || port > 32767) {
      throw new Error(`${variable}=${env[variable]}: a port from 1024 to 32767 is needed`);
    }
    ports[role] = port;
  }
  return ports;
}

/**
 * Who the server runs as, when that is not us.
 * @param {Server} server
 */
function ownerOf(server) {
  if (server.user === undefined || process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  const known = users.map((line) => line.split(":")).find((fields) => fields[0] === server.user);
  if (known === undefined) throw new Error(`there is no user ${server.user} on this machine: run install first`);
  return { uid: Number(known[2]), gid: Number(known[3]) };
}
