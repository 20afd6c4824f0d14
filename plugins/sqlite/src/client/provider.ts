import { sqliteErrors } from "../errors.ts";

/** The part of `node:sqlite` that is used; `@photostructure/sqlite` is the same for versions of Node without it. */
export interface Provider {
  /** Statements of a closed connection hold its file open until they are collected. */
  readonly keepsStatements?: true;
  readonly DatabaseSync: new (
    path: string,
    options: { readonly readOnly?: boolean; readonly timeout?: number },
  ) => Connection;
}

export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Prepared;
  close(): void;
}

export interface Prepared {
  run(...values: unknown[]): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  setReadBigInts(enabled: boolean): void;
  setReturnArrays(enabled: boolean): void;
  columns(): readonly { readonly name: string; readonly type: string | null }[];
}

const FALLBACK = "@photostructure/sqlite";

/** SQLite of Node itself where that is complete, else the package that brings the same. Throws a `config` error. */
export async function loadProvider(): Promise<Provider> {
  const own = await importOf("node:sqlite");
  if (own && isComplete(own)) return own;
  const package_ = await importOf(FALLBACK);
  if (package_) return { DatabaseSync: package_.DatabaseSync, keepsStatements: true };
  throw sqliteErrors.NO_SQLITE({ version: process.version, package: FALLBACK });
}

async function importOf(name: string): Promise<Provider | undefined> {
  try {
    return (await import(name)) as Provider;
  } catch {
    return undefined;
  }
}

/** Versions of Node 22 before 22.16 cannot give rows as arrays. */
function isComplete(provider: Provider): boolean {
  const connection = new provider.DatabaseSync(":memory:", {});
  try {
    const prepared = connection.prepare("SELECT 1") as Partial<Prepared>;
    return typeof prepared.setReturnArrays === "function" && typeof prepared.columns === "function";
  } finally {
    connection.close();
  }
}
