import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "./lock.mjs";

/** @typedef {{ ca: string, certificate: string, key: string }} CertificateFiles */

/**
 * One authority and one server certificate for localhost, 127.0.0.1 and ::1, made once for a scratch folder and valid
 * for ten years; clients trust `ca.pem` of that folder.
 * @param {import("./scratch.mjs").Scratch} places
 * @returns {Promise<CertificateFiles>}
 */
export async function certificates(places) {
  const folder = join(places.certificates, "made");
  await withLock(places.lock("certificates"), 60, async () => {
    if (!existsSync(folder)) make(folder);
  });
  return filesIn(folder);
}

/**
 * A server's own copy, whose key its user alone can read: PostgreSQL accepts no other.
 * @param {CertificateFiles} from
 * @param {string} folder
 * @param {(path: string) => void} give  makes the server's user the owner
 * @returns {CertificateFiles}
 */
export function copyCertificates(from, folder, give) {
  const to = filesIn(folder);
  mkdirSync(folder, { recursive: true });
  for (const which of /** @type {const} */ (["ca", "certificate", "key"])) copyFileSync(from[which], to[which]);
  chmodSync(to.key, 0o600);
  for (const path of [folder, ...Object.values(to)]) give(path);
  return to;
}

/** @param {string} folder */
function filesIn(folder) {
  return { ca: join(folder, "ca.pem"), certificate: join(folder, "server.pem"), key: join(folder, "server.key") };
}

/** @param {string} folder */
function make(folder) {
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(
    join(draft, "server.ext"),
    "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nextendedKeyUsage=serverAuth,clientAuth\nbasicConstraints=CA:FALSE\n",
  );
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const openssl = (/** @type {string[]} */ ...args) => execFileSync("openssl", args, { cwd: draft, stdio: "pipe" });
  openssl(
    "req",
    "-x509",
    ...ec,
    "-days",
    "3650",
    "-subj",
    "/CN=mqb test authority",
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
  );
  openssl("req", ...ec, "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr");
  openssl(
    ...["x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "3650"],
    ...["-extfile", "server.ext", "-out", "server.pem"],
  );
  renameSync(draft, folder);
}
