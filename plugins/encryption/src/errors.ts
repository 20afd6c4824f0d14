import { defineErrors, errorRow } from "@mqb/core/plugin";

interface OfField {
  /** As written: `key`, `decrypt_keys.old`. */
  readonly field: string;
}

interface OfEnvelope {
  /** What was to be decrypted: `the payload`, or a frame with its file and offset. */
  readonly what: string;
}

/** Every error of this package. None of them shows a key, nor what is encrypted. */
export const errors = defineErrors("MQB_ENCRYPTION", {
  KEY_TEXT: errorRow<OfField>({
    kind: "config",
    message: (p) => `${p.field} is not base64 of 32 bytes`,
    hint: "openssl rand -base64 32 makes a key; ${env:NAME} and ${file:path} read it from elsewhere",
  }),
  KEY_LENGTH: errorRow<OfField & { bytes: number }>({
    kind: "config",
    message: (p) => `${p.field} holds ${p.bytes} bytes in base64; a key has 32 bytes`,
    hint: "openssl rand -base64 32 makes one",
  }),
  KEY_VARIABLE: errorRow<OfField & { variable: string }>({
    kind: "config",
    message: (p) => `${p.field} is read from the environment variable ${p.variable}, which is not set`,
  }),
  KEY_FILE: errorRow<OfField & { file: string }>({
    kind: "config",
    message: (p) => `${p.field} is read from the file ${p.file}, which cannot be read`,
    hint: "a relative path begins at the folder that mqb was started in",
  }),
  KEY_ID: errorRow<OfField & { bytes: number }>({
    kind: "config",
    message: (p) => `${p.field} has ${p.bytes} bytes; the name of a key has 1 to 255`,
  }),
  KEY_SHADOWED: errorRow<OfField & { id: string }>({
    kind: "config",
    message: (p) => `${p.field} is never used: "${p.id}" is key_id, and key is another key`,
    hint: "give the new key another key_id, and list the old one in decrypt_keys under its own",
  }),
  NOT_SEALED: errorRow<OfEnvelope>({
    kind: "permanent",
    message: (p) => `${p.what} is no whole envelope of the encryption: cut off, or not encrypted at all`,
    hint: "the list of the reader must be the mirror of the writer's",
  }),
  UNKNOWN_KEY: errorRow<OfEnvelope & { id: string | undefined }>({
    kind: "permanent",
    message: (p) =>
      `${p.what} was encrypted with a key whose name is ${p.id === undefined ? "not printable" : `"${p.id}"`}, and no such key is configured`,
    hint: "list it in decrypt_keys under that name",
  }),
  METADATA_BOUND: errorRow<OfEnvelope>({
    kind: "permanent",
    message: (p) => `${p.what} is bound to metadata, but no authenticate_metadata is set here`,
    hint: "set the same authenticate_metadata as the writer",
  }),
  METADATA_NOT_BOUND: errorRow<OfEnvelope>({
    kind: "permanent",
    message: (p) => `${p.what} is bound to no metadata, but authenticate_metadata is set here`,
    hint: "read what was written before that with a route of its own",
  }),
  NOT_AUTHENTIC: errorRow<OfEnvelope & { metadata: boolean }>({
    kind: "permanent",
    message: (p) =>
      `${p.what} is not authentic: the key is another one, or it was changed${p.metadata ? ", or the metadata in authenticate_metadata" : ""}`,
  }),
  FRAME_CUT: errorRow<{ source: string; offset: number; missing: number }>({
    kind: "permanent",
    message: (p) =>
      `${p.source}, byte ${p.offset}: the encrypted frame that begins here lacks its last ${p.missing} bytes`,
    hint: "the file was cut off; what stood before has been delivered",
  }),
  FRAME_LENGTH: errorRow<{ source: string; offset: number; limit: number }>({
    kind: "permanent",
    message: (p) =>
      `${p.source}, byte ${p.offset}: no encrypted frame begins here, or one of more than ${p.limit} bytes`,
    hint: "is the file written with encryption, and by nobody else?",
  }),
});
