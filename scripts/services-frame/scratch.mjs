// The scratch folder: everything that the servers write, and nothing else.
import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/**
 * @typedef {object} Scratch
 * @property {string} root
 * @property {(name: string) => string} data    the server's own folder; `wipe` removes it
 * @property {(name: string) => string} log
 * @property {(name: string) => string} record  which processes run, see processes.mjs
 * @property {(name: string) => string} lock
 * @property {string} certificates
 */

/**
 * Names the places; makes nothing.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @returns {Scratch}
 */
export function scratch(env) {
  const root = resolve(env["MQB_SERVICES_DIR"] || join(tmpdir(), "mqb-services"));
  return {
    root,
    data: (name) => join(root, "data", name),
    log: (name) => join(root, "log", `${name}.log`),
    record: (name) => join(root, "run", `${name}.json`),
    lock: (name) => join(root, "lock", `${name}.lock`),
    certificates: join(root, "certificates"),
  };
}

/**
 * Makes the folders. Refuses a root that belongs to somebody else: in a shared temporary folder that is how a
 * stranger would have us write, as root, where they like.
 * @param {Scratch} places
 */
export function makeScratch(places) {
  mkdirSync(places.root, { recursive: true });
  const found = lstatSync(places.root);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${places.root} is not a folder of the current user: remove it or set MQB_SERVICES_DIR`);
  }
  // Servers run as users of their own and must reach their data through these folders, whatever the umask is.
  chmodSync(places.root, 0o755);
  for (const name of ["data", "log", "run", "lock", "certificates"]) {
    mkdirSync(join(places.root, name), { recursive: true });
    chmodSync(join(places.root, name), 0o755);
  }
}

/**
 * Throws when a user other than us could not enter the scratch folder.
 * @param {Scratch} places
 * @param {string} user
 */
export function checkReachable(places, user) {
  for (let folder = dirname(places.root); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) {
      throw new Error(
        `the server runs as the user ${user}, who cannot enter ${folder}: chmod o+x it or set MQB_SERVICES_DIR to another place`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}
