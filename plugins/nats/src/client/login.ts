import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Authenticator } from "nats";
import { errors } from "../errors.ts";
import type { NatsConfig } from "../schema.ts";
import type { Servers } from "./servers.ts";

type Nats = typeof import("nats");

/** How the server is told who we are, and how that is called in messages. */
export interface Login {
  readonly how: string;
  readonly authenticator?: Authenticator;
}

/** The first that is there: credentials file, nkey, token, user and password; fields before what stands in the url. */
export async function readLogin(nats: Nats, config: NatsConfig, servers: Servers, baseDir: string): Promise<Login> {
  if (config.creds_file != null) {
    const file = config.creds_file;
    return { how: `of the credentials file ${file}`, authenticator: await credentials(nats, file, baseDir) };
  }
  if (config.nkey_seed != null)
    return { how: "with the nkey of nkey_seed", authenticator: nkey(nats, config.nkey_seed) };
  const token = config.token ?? (config.username == null ? servers.token : undefined);
  if (token != null) return { how: "with this token", authenticator: nats.tokenAuthenticator(token) };
  const user = config.username ?? servers.user;
  if (user == null) return { how: "without credentials" };
  const password = config.password ?? (config.username == null ? servers.password : undefined);
  return { how: `as user "${user}"`, authenticator: nats.usernamePasswordAuthenticator(user, password ?? "") };
}

async function credentials(nats: Nats, file: string, baseDir: string): Promise<Authenticator> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(resolve(baseDir, file));
  } catch (cause) {
    throw errors.CREDENTIALS_FILE({ file, reason: (cause as NodeJS.ErrnoException).code ?? "unknown" }, { cause });
  }
  // The driver wants line feeds alone, and complains only within its connection.
  const text = new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll("\r\n", "\n").trim().concat("\n"));
  const authenticator = nats.credsAuthenticator(text);
  try {
    authenticator("nonce");
  } catch {
    throw errors.CREDENTIALS_FILE({ file, reason: "it holds no user JWT with its seed" });
  }
  return authenticator;
}

function nkey(nats: Nats, seed: string): Authenticator {
  try {
    const pair = nats.nkeys.fromSeed(new TextEncoder().encode(seed.trim()));
    if (!pair.getPublicKey().startsWith("U")) throw errors.NKEY({});
  } catch {
    throw errors.NKEY({});
  }
  return nats.nkeyAuthenticator(new TextEncoder().encode(seed.trim()));
}
