import { defineErrors, errorRow } from "@mqb/core/plugin";

interface OfDatabase {
  /** Database and table, without credentials. */
  readonly target: string;
  /** What the database says. */
  readonly reason: string;
}

/** Every error of the `sqlx` endpoint, whatever the database. None shows a URL's credentials or a value of a row. */
export const errors = defineErrors("MQB_SQL", {
  URL: errorRow<{ field: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.field}: ${p.reason}`,
  }),
  DRIVER: errorRow<{ scheme: string; package: string }>({
    kind: "config",
    message: (p) => `nothing that is installed talks to ${p.scheme}: databases`,
    hint: (p) => `install ${p.package}`,
  }),
  SCHEME: errorRow<{ scheme: string }>({
    kind: "config",
    message: (p) => `there is no SQL database for "${p.scheme}:"`,
    hint: "there are postgres, postgresql, mysql, mariadb and sqlite",
  }),
  NAME: errorRow<{ field: string; name: string }>({
    kind: "config",
    message: (p) => `${p.field} is "${p.name}": a name has letters, digits, underscores and at most one dot`,
  }),
  TOGETHER: errorRow<{ first: string; second: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.first} does not go together with ${p.second}: ${p.reason}`,
  }),
  NEEDS: errorRow<{ field: string; needs: string }>({
    kind: "config",
    message: (p) => `${p.field} needs ${p.needs}`,
  }),
  NOT_HERE: errorRow<{ field: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.field} does not work here: ${p.reason}`,
  }),
  TOKEN: errorRow<{ field: string; token: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.field} holds ${p.token}: ${p.reason}`,
    hint: "tokens are ${payload:field} and ${metadata:key}; $${ writes ${ itself",
  }),
  STATEMENT: errorRow<{ field: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.field} cannot be used: ${p.reason}`,
  }),
  NO_TABLE: errorRow<{ target: string }>({
    kind: "config",
    message: (p) => `there is no table ${p.target}`,
    hint: "create it first, or check the name and its schema",
  }),
  NO_COLUMN: errorRow<{ field: string; column: string; target: string; columns: readonly string[] }>({
    kind: "config",
    message: (p) => `${p.field} names "${p.column}", which is no column of ${p.target}`,
    hint: (p) => `it has ${p.columns.join(", ")}`,
  }),
  NO_UNIQUE_KEY: errorRow<{ key: readonly string[]; target: string }>({
    kind: "config",
    message: (p) => `key names ${p.key.join(", ")}, and ${p.target} has no unique index on exactly that`,
    hint: "create one: an upsert without it duplicates rows, or replaces others than those meant",
  }),
  CURSOR_TYPE: errorRow<{ column: string; target: string; type: string }>({
    kind: "permanent",
    message: (p) => `cursor_column ${p.column} of ${p.target} has the type ${p.type}, which is no cursor`,
    hint: "take a column of whole numbers or of texts that only grow",
  }),
  CURSOR_RUN: errorRow<{ column: string; target: string; max: number }>({
    kind: "permanent",
    message: (p) =>
      `${p.target} has more than ${p.max} rows with the same ${p.column}: a batch must hold all rows of one value`,
    hint: "raise batch_size above the longest run, or take a column whose values differ",
  }),
  CURSOR_POSITION: errorRow<{ column: string; target: string }>({
    kind: "permanent",
    message: (p) =>
      `${p.column} of ${p.target} is no position: source_metadata needs whole numbers from 0 up, each once`,
  }),
  CHECKPOINT_OTHER: errorRow<{ id: string; stored: string; source: string }>({
    kind: "config",
    message: (p) => `the checkpoint "${p.id}" is of ${p.stored}, not of ${p.source}`,
    hint: "take another cursor_id, or forget the old position with mqb checkpoint reset",
  }),
  CHECKPOINT_VALUE: errorRow<{ id: string; reason: string }>({
    kind: "config",
    message: (p) => `the checkpoint "${p.id}" cannot be read: ${p.reason}`,
    hint: "look at it with mqb checkpoint show, forget it with mqb checkpoint reset",
  }),
  RESUME: errorRow<{ reason: string }>({
    kind: "config",
    message: (p) => `this input cannot resume: ${p.reason}`,
  }),
  NOT_AN_OBJECT: errorRow<{ what: string }>({
    kind: "permanent",
    message: (p) => `columns: auto takes JSON objects, and the payload is ${p.what}`,
  }),
  NO_FIELD: errorRow<{ target: string }>({
    kind: "permanent",
    message: (p) => `no field of the payload has a column of ${p.target}`,
  }),
  KEY_MISSING: errorRow<{ column: string }>({
    kind: "permanent",
    message: (p) => `the payload has no value for the key column ${p.column}`,
  }),
  NUL: errorRow<{ what: string }>({
    kind: "permanent",
    message: (p) => `${p.what} holds a NUL character, which the database cannot store in a text`,
  }),
  OUT_OF_RANGE: errorRow<{ column: string }>({
    kind: "permanent",
    message: (p) => `a value is out of range for column ${p.column}`,
  }),
  REFUSED: errorRow<OfDatabase>({
    kind: "permanent",
    message: (p) => `${p.target} refused it: ${p.reason}`,
  }),
  BUSY: errorRow<OfDatabase>({
    kind: "retryable",
    message: (p) => `${p.target} could not do it now: ${p.reason}`,
  }),
  LOST: errorRow<OfDatabase>({
    kind: "connection",
    message: (p) => `${p.target} is out of reach: ${p.reason}`,
  }),
  ACCESS: errorRow<OfDatabase>({
    kind: "config",
    message: (p) => `${p.target} lets nobody in with these settings: ${p.reason}`,
    hint: "check the user, the password and the name of the database",
  }),
  ROW: errorRow<OfDatabase>({
    kind: "permanent",
    message: (p) => `a row of ${p.target} cannot be read: ${p.reason}`,
  }),
  CLOSED: errorRow<{ target: string }>({
    kind: "connection",
    message: (p) => `${p.target} was closed`,
  }),
  STORE_URL: errorRow<{ url: string; reason: string }>({
    kind: "config",
    message: (p) => `the state store ${p.url} cannot be opened: ${p.reason}`,
  }),
  STORE_VALUE: errorRow<{ key: string; reason: string }>({
    kind: "permanent",
    message: (p) => `the state store cannot keep "${p.key}": ${p.reason}`,
  }),
});
