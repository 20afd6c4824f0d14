import { readFile } from "node:fs/promises";
import * as tls from "node:tls";

/** Where the systems that Node runs on keep their authorities in one file. */
const BUNDLES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * Whom a client trusts that names no authority: those of the system (SSL_CERT_FILE first, as for OpenSSL), where a company's
 * own stand and Node alone does not look, and NODE_EXTRA_CA_CERTS. Undefined = the system has none: those that came
 * with Node.
 */
export async function systemAuthorities(env: NodeJS.ProcessEnv = process.env): Promise<string[] | undefined> {
  const bundle = (await textOf(env["SSL_CERT_FILE"])) ?? (await firstOf(BUNDLES));
  const system = bundle === undefined ? storeOfSystem() : [bundle];
  if (system.length === 0) return undefined;
  const extra = await textOf(env["NODE_EXTRA_CA_CERTS"]);
  return extra === undefined || extra === bundle ? system : [...system, extra];
}

/** The keychain or store of systems without such a file; from Node 22.15 on. */
function storeOfSystem(): string[] {
  const { getCACertificates } = tls as { getCACertificates?: (store: "system") => string[] };
  return getCACertificates?.("system") ?? [];
}

async function firstOf(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const text = await textOf(file);
    if (text !== undefined) return text;
  }
  return undefined;
}

async function textOf(file: string | undefined): Promise<string | undefined> {
  const text = file ? await readFile(file, "latin1").catch(() => undefined) : undefined;
  return text?.includes("-----BEGIN CERTIFICATE-----") ? text : undefined;
}
