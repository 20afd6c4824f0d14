import type { Finding } from "@mqb/core/plugin";
import { isMqbError } from "@mqb/core/plugin";
import { type CipherName, Key } from "../cipher/key.ts";
import { errors } from "../errors.ts";
import { readKey } from "./key-text.ts";

/** What says which keys there are, the same for payloads and for files. */
export interface KeySettings {
  readonly cipher: CipherName;
  readonly key_id: string;
  readonly key: string;
  readonly decrypt_keys?: Readonly<Record<string, string>> | null | undefined;
}

/** The keys of one place: the one that encrypts, and all that decrypt. */
export interface Keyring {
  readonly cipher: CipherName;
  readonly own: Key;
  /** Among them `own`. */
  readonly all: readonly Key[];
}

/** Reads all keys, also from the environment and from files. Throws `config` errors. Once per opening. */
export function openKeyring(settings: KeySettings, baseDir: string): Keyring {
  const key = (field: string, id: string, text: string): Key =>
    new Key(checkId(field, id), readKey(field, text, baseDir)!);
  const own = key("key", settings.key_id, settings.key);
  const others = Object.entries(settings.decrypt_keys ?? {})
    .filter(([id]) => id !== settings.key_id)
    .map(([id, text]) => key(`decrypt_keys.${id}`, id, text));
  return { cipher: settings.cipher, own, all: [own, ...others] };
}

/** What is wrong with the keys. Looks at the environment, and at no file: that may be on another machine. */
export function checkKeys(settings: KeySettings): Finding[] {
  const findings: Finding[] = [];
  const attempt = (path: readonly string[], run: () => void): void => {
    try {
      run();
    } catch (error) {
      if (!isMqbError(error)) throw error;
      const { code, message, hint } = error;
      findings.push({ level: "error", path, code, message, ...(hint === undefined ? {} : { hint }) });
    }
  };
  attempt(["key_id"], () => checkId("key_id", settings.key_id));
  let own: Buffer | undefined;
  attempt(["key"], () => {
    own = readKey("key", settings.key, undefined);
  });
  for (const [id, text] of Object.entries(settings.decrypt_keys ?? {})) {
    const field = `decrypt_keys.${id}`;
    attempt(["decrypt_keys", id], () => {
      checkId(field, id);
      const bytes = readKey(field, text, undefined);
      if (id !== settings.key_id || !own || !bytes || bytes.equals(own)) return;
      const { code, message, hint } = errors.KEY_SHADOWED({ field, id });
      findings.push({ level: "warning", path: ["decrypt_keys", id], code, message, ...(hint ? { hint } : {}) });
    });
  }
  return findings;
}

function checkId(field: string, id: string): string {
  const bytes = Buffer.byteLength(id);
  if (bytes < 1 || bytes > 255) throw errors.KEY_ID({ field, bytes });
  return id;
}
