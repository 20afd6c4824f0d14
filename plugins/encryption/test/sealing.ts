import { batchOf, Message, type MessageBatch } from "@mqb/core/plugin";
import { slabOf } from "@mqb/testkit";
import { Bulk } from "../src/cipher/bulk.ts";
import { type EncryptionConfig, encryptionSchema } from "../src/config.ts";
import { type Keyring, openKeyring } from "../src/keys/keyring.ts";
import { type Opened, Opener } from "../src/opener.ts";
import { Sealer } from "../src/sealer.ts";

export const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
export const OTHER_KEY = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
export const CIPHERS = ["xchacha20poly1305", "aes256gcm"] as const;

/** The two ways to run XChaCha20-Poly1305: the loops in WebAssembly, and node:crypto alone. */
export const bulk = Bulk.make();

export type Options = Partial<EncryptionConfig>;

export function keyring(options: Options = {}): Keyring {
  return openKeyring(encryptionSchema.parse({ key: KEY, ...options }), "/");
}

export function sealer(options: Options = {}, by = bulk): Sealer {
  return new Sealer(keyring(options), options.authenticate_metadata ?? [], by);
}

export function opener(options: Options = {}, by = bulk): Opener {
  return new Opener(keyring(options), options.authenticate_metadata ?? [], by);
}

export function payloads(batch: MessageBatch): Buffer[] {
  return Array.from({ length: batch.length }, (_, index) => Buffer.from(batch.payload(index)));
}

export function texts(batch: MessageBatch): string[] {
  return payloads(batch).map(String);
}

export function listOf(
  contents: readonly (string | Uint8Array)[],
  metadata?: ReadonlyMap<string, string>,
): MessageBatch {
  return batchOf(contents.map((payload) => new Message(payload, metadata)));
}

/** The same in one buffer, with line breaks between. */
export function linesOf(contents: readonly (string | Uint8Array)[]): MessageBatch {
  return slabOf(contents.map((payload) => new Message(payload)));
}

/** One envelope, sealed and opened with these options. */
export function sealOne(
  payload: string | Uint8Array,
  options: Options = {},
  metadata?: ReadonlyMap<string, string>,
): Buffer {
  return payloads(sealer(options).seal(listOf([payload], metadata)).batch)[0]!;
}

export function openOne(envelope: Uint8Array, options: Options = {}, metadata?: ReadonlyMap<string, string>): Opened {
  return opener(options).open(listOf([envelope], metadata));
}
