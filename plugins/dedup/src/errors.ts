import { defineErrors, errorRow } from "@mqb/core/plugin";

type None = Record<string, never>;

/** Every error of this package. */
export const errors = defineErrors("MQB_DEDUP", {
  NO_STORE: errorRow<None>({
    kind: "config",
    message: () => "deduplication needs a place for its keys: store, or sled_path",
    hint: "write store: memory:// or store: file:///var/lib/mqb/dedup",
  }),
  TWO_STORES: errorRow<None>({
    kind: "config",
    message: () => "store and sled_path exclude each other",
    hint: "keep one of them",
  }),
  STORE_URL: errorRow<{ url: string; reason: string }>({
    kind: "config",
    message: (p) => `the store "${p.url}" cannot be used: ${p.reason}`,
  }),
  STORE_SCHEME: errorRow<{ scheme: string; brings?: string | undefined }>({
    kind: "config",
    message: (p) => `deduplication cannot keep keys in a "${p.scheme}:" store`,
    hint: (p) =>
      `${p.brings ? `that takes ${p.brings}; here are` : "there are"} memory:, file:, sled:, postgres:, mysql:, mariadb: and sqlite:`,
  }),
  STORE_NOT_INSTALLED: errorRow<{ scheme: string; brings: string }>({
    kind: "config",
    message: (p) => `nothing that is installed keeps keys in a "${p.scheme}:" store`,
    hint: (p) => `install ${p.brings}`,
  }),
  KEY: errorRow<{ key: string; reason: string }>({
    kind: "config",
    message: (p) => `the key "${p.key}" cannot tell messages apart: ${p.reason}`,
    hint: "use values of the message, such as ${payload:order_id} or ${metadata:mqb.id}",
  }),
  KEY_JOINED: errorRow<{ key: string; list: string }>({
    kind: "config",
    message: (p) => `different values can give the same key: the parts of "${p.key}" are joined to one text`,
    hint: (p) => `write key: ${p.list} to compare the values one by one`,
  }),
  NOT_A_FOLDER: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `${p.path} is a file; deduplication keeps its keys in a folder`,
    hint: "name a folder, or move the file away",
  }),
  FOREIGN: errorRow<{ path: string; found: string }>({
    kind: "config",
    message: (p) => `the folder ${p.path} holds something else: ${p.found}`,
    hint: (p) =>
      /^(db|conf|blobs)$/.test(p.found)
        ? "that is a sled database of mq-bridge, whose keys cannot be taken over: name a new folder, and expect what it knew to pass once more"
        : "name a folder of its own",
  }),
  LOCKED: errorRow<{ path: string; holder: string }>({
    kind: "config",
    message: (p) => `the keys in ${p.path} are in use by ${p.holder}`,
    hint: "two processes cannot share a folder; give each its own",
  }),
  VERSION: errorRow<{ file: string; version: number }>({
    kind: "config",
    message: (p) => `${p.file} has version ${p.version} of the format, which this version of mqb does not know`,
    hint: "it was written by a newer mqb, or on a machine with another byte order",
  }),
  SEEDS: errorRow<{ file: string; path: string }>({
    kind: "config",
    message: (p) => `${p.file} does not belong to the other files in ${p.path}: they were copied together`,
    hint: "keep the files of one folder, and move the others away",
  }),
  IO: errorRow<{ path: string; action: string }>({
    kind: "connection",
    message: (p) => `the keys in ${p.path} cannot be ${p.action}`,
  }),
  REPLAY_STORE: errorRow<None>({
    kind: "config",
    message: () => "replay_response needs a store that keeps replies, and the table of a database keeps keys alone",
    hint: "take memory: or file:",
  }),
  STORE_GONE: errorRow<None>({
    kind: "connection",
    message: () => "the store of the keys does not answer: what was received goes back to its source",
  }),
  FIRST_FAILED: errorRow<None>({
    kind: "retryable",
    message: () => "another message with the same key was in flight and did not arrive",
  }),
  CLOSED: errorRow<None>({
    kind: "connection",
    message: () => "the route has closed this source: what was in flight comes again",
  }),
});
