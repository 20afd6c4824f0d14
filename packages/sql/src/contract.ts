import type {
  Checkpoint,
  CheckpointContext,
  Consumer,
  Finding,
  Logger,
  OpenContext,
  ProbeContext,
  ProbeFinding,
  Slab,
} from "@mqb/core/plugin";
import type { FieldKind } from "@mqb/json";
import type { TlsConfig } from "@mqb/tls";
import type { OwnTables } from "./own-tables.ts";
import type { TableName } from "./table-name.ts";

declare module "@mqb/core/plugin" {
  /** What the packages of the databases bring; `sql:` and the dialect. */
  interface PluginServices {
    readonly "sql:postgres": SqlDriver;
    readonly "sql:mysql": SqlDriver;
    readonly "sql:sqlite": SqlDriver;
  }
}

export type Dialect = "postgres" | "mysql" | "sqlite";

/** What a database's package does for the `sqlx` endpoint. Its vendor client is imported by `connect`, not before. */
export interface SqlDriver {
  readonly dialect: Dialect;
  /** Has COPY. */
  readonly bulkCopy: boolean;
  /** Tells which transactions are open (`PreparedPages.writers`). */
  readonly tellsWriters: boolean;
  /** One transaction writes at a time, so that values are committed in the order in which the database gives them. */
  readonly oneWriter: boolean;
  /** Fields of the endpoint that mean nothing to it. */
  readonly unused: readonly string[];
  /** What is wrong with a URL, in words; undefined when nothing is. Offline. */
  urlFault(url: string): string | undefined;
  /** The same text for the same database, without credentials: `postgres://host:5432/db`. For status pages and messages. */
  target(url: string): string;
  /** Connects. Rejects with `connection` or `config` errors. */
  connect(settings: ConnectSettings, context: ConnectContext): Promise<SqlDatabase>;
  /** Reads what changes, for inputs with `publication`; absent where the database has no such thing. */
  readonly changes?: ChangeCapture;
}

export interface ChangeSettings {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: TlsConfig;
  /** As written. The publication that is made has this one only. */
  readonly table: string;
  readonly publication: string;
  readonly slotName?: string;
  readonly createPublication: boolean;
  readonly sourceMetadata: boolean;
}

/** The parts of an endpoint that reads changes; each as `EndpointDefinition` has it. */
export interface ChangeCapture {
  /** What is wrong with the settings, by the fields of `sqlx`. Offline. */
  check(settings: ChangeSettings): readonly Finding[];
  open(settings: ChangeSettings, context: OpenContext): Promise<Consumer>;
  pin(settings: ChangeSettings, context: OpenContext): Promise<void>;
  checkpoint(settings: ChangeSettings, context: CheckpointContext): Checkpoint | undefined;
  probe(settings: ChangeSettings, context: ProbeContext): Promise<readonly ProbeFinding[]>;
}

export interface ConnectSettings {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: TlsConfig;
  readonly maxConnections: number;
  readonly minConnections: number;
  readonly acquireTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly maxLifetimeMs: number;
  readonly testBeforeAcquire: boolean;
  /** Make a database that is a file when it is not there, unless the URL says otherwise. */
  readonly create: boolean;
}

export interface ConnectContext {
  /** Where the endpoint stands, for messages. */
  readonly path: string;
  readonly baseDir: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * One database, with its pool. May be shared; every method may be called concurrently. Errors are mqb errors: `connection`
 * for a lost server, `retryable` for locks, deadlocks and full pools, `permanent` for what the database refuses for good,
 * `config` for wrong credentials and databases that are not there. Where a call takes a signal, one that the server does not
 * answer is given up soon after it aborts.
 */
export interface SqlDatabase {
  /** Undefined when there is no such table or view. */
  describe(table: TableName): Promise<TableInfo | undefined>;
  /** The queue table that `auto_create_table` makes, unless it is there. */
  createQueueTable(table: TableName): Promise<void>;
  prepareInsert(insert: InsertPlan): Promise<PreparedInsert>;
  prepareLookup(query: StatementPieces): Promise<PreparedLookup>;
  /** Rows behind a position, in the order of the cursor column, NULLs left out. */
  preparePages(source: PageSource): Promise<PreparedPages>;
  queue(table: TableName): Promise<SqlQueue>;
  /** Small statements of our own tables: checkpoints and state. `?` stands for a value, whatever the database writes. */
  execute(sql: string, values: readonly OwnValue[]): Promise<readonly (readonly OwnValue[])[]>;
  /** As PostgreSQL: a text can be an array, `unnest(CAST(? AS text[]))`, and a statement that writes can stand in a WITH. */
  readonly lists?: true;
  /** The same several times in one transaction, which waits for its turn; all or nothing. */
  transaction<T>(work: (execute: SqlDatabase["execute"]) => Promise<T>): Promise<T>;
  /** Where the statements of this package do not work. */
  readonly own?: OwnTables;
  close(): Promise<void>;
}

/** Text comes back as text, bytes as bytes, integers as texts of digits. */
export type OwnValue = string | Uint8Array | bigint | null;

export interface TableInfo {
  /** How statements name it: quoted, with its schema where it was given. */
  readonly sql: string;
  readonly columns: readonly ColumnInfo[];
  /** The columns of each unique index without a condition, the primary key first. */
  readonly uniqueKeys: readonly (readonly string[])[];
}

export interface ColumnInfo {
  readonly name: string;
  /** As the database spells it. */
  readonly type: string;
  /** What a type stands on that has another name: of a domain what it is made of. */
  readonly base?: string;
  /** Cannot be written. */
  readonly generated: boolean;
}

/** A statement in pieces: texts, and the numbers of the values between them. */
export type StatementPieces = readonly (string | number)[];

export type InsertPlan =
  | {
      readonly kind: "template";
      /** How many values each row has. */
      readonly values: number;
      /** The whole statement for one row. */
      readonly whole: StatementPieces;
      /** Where one group of VALUES can be repeated: what stands before it, the group with its parentheses, and behind it. */
      readonly repeated?: { readonly head: string; readonly row: StatementPieces; readonly tail: string };
      /** By COPY, where the row is nothing but values: the columns that the statement names. */
      readonly copy?: { readonly table: TableName; readonly columns: readonly string[] };
    }
  | {
      readonly kind: "columns";
      /** As statements name it. */
      readonly table: string;
      readonly columns: readonly ColumnInfo[];
      /** Makes an upsert of it: columns that a unique index has. */
      readonly key: readonly string[];
      readonly copy: boolean;
    };

/** A value as the driver binds it. */
export type Bound = unknown;

/**
 * Turns a field of a JSON payload into what is bound: `bytes[start .. end)` as a finder gave it. Throws a `permanent`
 * error for a value that the place cannot take. `null` for null.
 */
export type Encoder = (kind: Kind, bytes: Buffer, start: number, end: number) => Bound;
export type Kind = (typeof FieldKind)[keyof typeof FieldKind];

export interface PreparedInsert {
  /** By the number of the value. */
  readonly encoders: readonly Encoder[];
  /** For a text that is no JSON, such as metadata. Throws as an encoder does. */
  text(value: number, text: string): Bound;
  bytes(value: number, bytes: Uint8Array): Bound;
  /**
   * The same from a JSON array of records that all have exactly the plan's columns as fields, where the database can take
   * that: sooner than from values. What it refuses is tried again as rows.
   */
  executeJson?(records: Buffer, signal: AbortSignal): Promise<void>;
  /** Writes the rows in their order, all or none of them. The arrays are the caller's again when it has settled. */
  execute(rows: readonly (readonly Bound[])[], signal: AbortSignal): Promise<void>;
}

export interface PreparedLookup {
  readonly encoders: readonly Encoder[];
  text(value: number, text: string): Bound;
  /** The first row for each of these, as a JSON object; undefined where there is none. In order, each on its own. */
  ask(rows: readonly (readonly Bound[])[], signal: AbortSignal): Promise<readonly (Buffer | undefined)[]>;
}

export interface PageSource {
  readonly table: TableName;
  readonly cursor: string;
  readonly rfc3339: boolean;
  /** A statement of the user's own instead, whose only parameter is the limit. */
  readonly select?: string;
}

export interface PreparedPages {
  /** Whether positions are integers, or texts as the database casts them. */
  readonly kind: "int" | "str";
  /** At most `limit` rows as JSON objects in one slab, none behind `upTo`. `after` undefined = from the first one. */
  read(after: string | undefined, limit: number, signal: AbortSignal, upTo?: string): Promise<Slab>;
  /** Nobody looks at this slab of `read` any more: its memory may hold a later one. Absent where that is of no use. */
  giveBack?(slab: Slab): void;
  /** The greatest value that is there now; undefined = none. */
  last(signal: AbortSignal): Promise<string | undefined>;
  /**
   * The transactions that run now and may still bring rows whose values they have drawn already, by names that no later
   * one has. Absent where the database does not tell.
   */
  writers?(signal: AbortSignal): Promise<ReadonlySet<string>>;
}

export interface SqlQueue {
  /** Claims the oldest free rows until `leaseMs` from now. */
  claim(max: number, leaseMs: number, signal: AbortSignal): Promise<Claim>;
  /** After a `claim` that threw: what it may have claimed all the same. Each is given once. */
  takeUnsure(): readonly Claim[];
  /** Of those that are still ours. */
  remove(claim: Claim, ids: readonly string[]): Promise<void>;
  /** Frees them at once. */
  release(claim: Claim, ids: readonly string[]): Promise<void>;
  /** Longer leases for those that are still ours; the claim with its new token. */
  renew(claim: Claim, ids: readonly string[], leaseMs: number): Promise<Claim>;
  /** Rows that are free now, also those that somebody has locked: a drain is over when there are none. */
  pending(): Promise<number>;
}

export interface Claim {
  readonly ids: readonly string[];
  readonly payloads: readonly Uint8Array[];
  /** Tells our lease of these rows from a later one. */
  readonly token: string;
}
