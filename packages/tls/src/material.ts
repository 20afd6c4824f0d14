import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext, type SecureContext } from "node:tls";
import { missingHalf } from "./check.ts";
import type { TlsConfig, TlsRole } from "./config.ts";
import { errors } from "./errors.ts";
import { systemAuthorities } from "./system-authorities.ts";

/** Where a block stands and who has it. */
export interface TlsPlace {
  /** Folder that relative paths begin at. */
  readonly baseDir: string;
  /** Of the block, for messages: `output.kafka.tls`. */
  readonly path: string;
  readonly role: TlsRole;
}

/**
 * What `node:tls` takes, and every driver that hands its options on. Texts are PEM. Of a client, `secureContext` holds
 * the same once more, ready for many connections.
 */
export interface TlsMaterial {
  readonly ca?: string | string[];
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  readonly rejectUnauthorized: boolean;
  /** Of a listener with authorities: each client shows a certificate of one of them. */
  readonly requestCert?: true;
  readonly secureContext?: SecureContext;
}

/**
 * Reads the files of a block and looks whether they fit together; called at each opening, so that a renewed certificate
 * is taken. Undefined where TLS is not required. Throws `config` errors that name the field and the file.
 */
export async function readTls(tls: TlsConfig | null | undefined, place: TlsPlace): Promise<TlsMaterial | undefined> {
  if (!tls?.required) return undefined;
  const missing = missingHalf(tls, place.role);
  if (missing) {
    throw errors.IDENTITY({ field: `${place.path}.${missing.of}`, missing: missing.needs }, { hint: missing.hint });
  }
  const ca = await authorities(tls, place);
  const identity = await readIdentity(tls, place);
  if (place.role === "listener") {
    return { ...identity, ...(ca && { ca, requestCert: true }), rejectUnauthorized: ca !== undefined };
  }
  const trusted = ca ?? (await systemAuthorities());
  const material = { ...identity, ...(trusted && { ca: trusted }) };
  const secureContext = createSecureContext(material);
  return { ...material, rejectUnauthorized: tls.accept_invalid_certs !== true, secureContext };
}

async function authorities(tls: TlsConfig, place: TlsPlace): Promise<string | undefined> {
  if (!tls.ca_file) return undefined;
  const text = await read(place, "ca_file", tls.ca_file);
  if (certificateIn(text) === undefined) {
    throw errors.NOT_PEM({ field: `${place.path}.ca_file`, file: tls.ca_file, what: "certificate" });
  }
  return text;
}

async function readIdentity(
  tls: TlsConfig,
  place: TlsPlace,
): Promise<Pick<TlsMaterial, "cert" | "key" | "passphrase">> {
  if (!tls.cert_file || !tls.key_file) return {};
  const [cert, key] = await Promise.all([
    read(place, "cert_file", tls.cert_file),
    read(place, "key_file", tls.key_file),
  ]);
  const certificate = certificateIn(cert);
  if (certificate === undefined) {
    throw errors.NOT_PEM({ field: `${place.path}.cert_file`, file: tls.cert_file, what: "certificate" });
  }
  const field = `${place.path}.key_file`;
  if (!certificate.checkPrivateKey(openKey(key, tls, field))) {
    throw errors.KEY_MISMATCH({ field, file: tls.key_file, certificate: tls.cert_file });
  }
  return { cert, key, ...(tls.cert_password && { passphrase: tls.cert_password }) };
}

/** An encrypted key with a password that does not open it is told from a file that is no key. */
function openKey(key: string, tls: TlsConfig, field: string): KeyObject {
  const file = tls.key_file ?? "";
  const isEncrypted = /ENCRYPTED/.test(key);
  try {
    return createPrivateKey({ key, ...(tls.cert_password && { passphrase: tls.cert_password }) });
  } catch {
    if (isEncrypted) throw errors.KEY_PASSWORD({ field, file, given: Boolean(tls.cert_password) });
    throw errors.NOT_PEM({ field, file, what: "private key" });
  }
}

async function read(place: TlsPlace, field: keyof TlsConfig, file: string): Promise<string> {
  try {
    return await readFile(resolve(place.baseDir, file), "latin1");
  } catch (cause) {
    const reason = (cause as Error).message.replace(/, \w+ '.*'$|, \w+$/, "");
    throw errors.FILE({ field: `${place.path}.${field}`, file, reason }, { cause });
  }
}

function certificateIn(text: string): X509Certificate | undefined {
  try {
    return text.includes("-----BEGIN") ? new X509Certificate(text) : undefined;
  } catch {
    return undefined;
  }
}
