import { randomInt } from "node:crypto";
import type { Clock, StateEntry, StateWrite, WriteResult } from "@mqb/core/plugin";
import type { OwnValue, SqlDatabase } from "../contract.ts";
import { errors } from "../errors.ts";
import { quoteIdentifier } from "../table-name.ts";
import { chunks, groupsOf, inKeyOrder, marks } from "./batches.ts";
import { deleteRows, type Execute, type Groups, TableStore } from "./table-store.ts";

interface Statement {
  readonly sql: string;
  readonly values: readonly OwnValue[];
}

/** The value of a key that is held for a moment; any other is that of a key that was seen. */
const CLAIMED = Buffer.from("claimed");
const NOTHING = Buffer.alloc(0);
/** Bits of a claim that tell it from others with the same end. */
const OWNER = 1n << 22n;
const SWEPT_AT_ONCE = 10_000;
/** Keys as rows, where a database takes them as one value. */
const LIST = "unnest(CAST(? AS text[])) AS mqb_keys(column1)";
/** Keys of one statement. */
const ROWS = 2000;

/**
 * Keys of deduplication in the table of the original: `dedup_key`, and `expire_at` in Unix seconds. A key that is only held
 * has a number below zero there, its end in milliseconds and who holds it; for the original it has expired long ago. The
 * number is the version, so that only who holds a key can settle it.
 */
export class DedupStore extends TableStore {
  protected override readonly oneStatement: number = ROWS;
  private readonly table: string;
  private readonly name: string;
  private readonly lists: boolean;

  /** `sql`: as statements name the table. */
  constructor(database: SqlDatabase, { name, sql }: { readonly name: string; readonly sql: string }, clock: Clock) {
    super(database, clock);
    this.name = name;
    this.table = sql;
    this.lists = database.lists ?? false;
  }

  protected creation(): readonly string[] {
    const name = `${this.name}_expire_idx`;
    const index = this.table === this.name ? name : quoteIdentifier(name);
    const columns = "dedup_key VARCHAR(255) PRIMARY KEY, expire_at BIGINT NOT NULL";
    return [
      `CREATE TABLE IF NOT EXISTS ${this.table} (${columns})`,
      `CREATE INDEX IF NOT EXISTS ${index} ON ${this.table} (expire_at)`,
    ];
  }

  protected override groups(writes: readonly StateWrite[]): Groups {
    return groupsOf(writes, isAlike);
  }

  protected remove(execute: Execute, keys: readonly string[]): Promise<void> {
    return deleteRows(execute, { table: this.table, key: "dedup_key", atOnce: ROWS }, keys);
  }

  protected async read(execute: Execute, keys: readonly string[]): Promise<Map<string, StateEntry>> {
    const found = new Map<string, StateEntry>();
    const now = this.clock.now();
    for (const some of chunks([...new Set(keys)], ROWS)) {
      const select = `SELECT dedup_key, expire_at FROM ${this.table} WHERE ${this.isOne(some)}`;
      for (const [key, written] of await execute(select, this.valuesOf(some))) {
        const entry = entryOf(String(key), BigInt(String(written)));
        if (entry.expiresAt! > now) found.set(entry.key, entry);
      }
    }
    return found;
  }

  protected async write(execute: Execute, writes: readonly StateWrite[], groups: Groups): Promise<WriteResult[]> {
    const results = new Array<WriteResult>(writes.length);
    for (const group of groups) {
      const { expectedVersion, expiresAt } = writes[group[0]!]!;
      const isOver = expiresAt !== undefined && expiresAt <= this.clock.now();
      for (const some of chunks(inKeyOrder(group, writes), ROWS)) {
        const keys = some.map((i) => writes[i]!.key);
        const number = numberOf(writes[some[0]!]!);
        let statement: Statement;
        if (typeof expectedVersion !== "string") statement = this.insert(keys, number, expectedVersion);
        else if (isOver) statement = this.erase(keys, expectedVersion);
        else statement = this.replace(keys, number, expectedVersion);
        const ours = await this.taken(execute, statement, keys);
        const written: WriteResult = { type: "written", version: String(number) };
        for (const i of some) results[i] = !ours || ours.has(writes[i]!.key) ? written : { type: "conflict" };
      }
    }
    return results;
  }

  /** The keys that a statement has changed; undefined = all of them. */
  private async taken(
    execute: Execute,
    { sql, values }: Statement,
    keys: readonly string[],
  ): Promise<ReadonlySet<string> | undefined> {
    const returning = `${sql} RETURNING dedup_key`;
    if (!this.lists) return new Set((await execute(returning, values)).map(([key]) => String(key)));
    // One row where nothing was in the way, which is nearly always so.
    const asked = `WITH mqb_taken AS (${returning}) SELECT count(*), CASE WHEN count(*) < CAST(? AS BIGINT) THEN CAST(to_json(array_agg(dedup_key)) AS text) END FROM mqb_taken`;
    const [[count, list] = []] = await execute(asked, [...values, BigInt(keys.length)]);
    if (String(count) === String(keys.length)) return undefined;
    return new Set(typeof list === "string" ? (JSON.parse(list) as (string | null)[] | null)?.map(String) : []);
  }

  private insert(keys: readonly string[], number: bigint, expected: null | undefined): Statement {
    const guard = expected === null ? ` WHERE ${this.expired()}` : "";
    const from = this.lists ? LIST : `(VALUES ${marks(keys, "(?)")}) AS mqb_keys`;
    const rows = `SELECT column1, CAST(? AS BIGINT) FROM ${from} WHERE 1 = 1`;
    const sql = `INSERT INTO ${this.table} (dedup_key, expire_at) ${rows} ON CONFLICT (dedup_key) DO UPDATE SET expire_at = excluded.expire_at${guard}`;
    return { sql, values: [number, ...this.valuesOf(keys), ...(expected === null ? this.now() : [])] };
  }

  /** Also what has expired, as long as nobody else has taken it. */
  private replace(keys: readonly string[], number: bigint, version: string): Statement {
    const values = [number, ...this.valuesOf(keys), versionNumber(version)];
    // Joined with the keys, each of them is looked up: by a list in the condition PostgreSQL goes over all expiries as well.
    const [from, isOne] = this.lists
      ? [` FROM ${LIST}`, "dedup_key = mqb_keys.column1"]
      : ["", `dedup_key IN (${marks(keys)})`];
    const update = `UPDATE ${this.table} SET expire_at = CAST(? AS BIGINT)${from}`;
    return { sql: `${update} WHERE ${isOne} AND expire_at = CAST(? AS BIGINT)`, values };
  }

  private erase(keys: readonly string[], version: string): Statement {
    const where = `${this.isOne(keys)} AND expire_at = CAST(? AS BIGINT)`;
    return {
      sql: `DELETE FROM ${this.table} WHERE ${where}`,
      values: [...this.valuesOf(keys), versionNumber(version)],
    };
  }

  private isOne(keys: readonly string[]): string {
    return this.lists ? "dedup_key = ANY(CAST(? AS text[]))" : `dedup_key IN (${marks(keys)})`;
  }

  private valuesOf(keys: readonly string[]): readonly string[] {
    if (!this.lists) return keys;
    return [`{${keys.map((key) => `"${key.replace(/[\\"]/g, "\\$&")}"`).join(",")}}`];
  }

  /** Of a row that is there; takes the values of `now`. */
  private expired(): string {
    const at = `${this.table}.expire_at`;
    return `((${at} >= 0 AND ${at} <= CAST(? AS BIGINT)) OR (${at} < 0 AND ${at} > CAST(? AS BIGINT)))`;
  }

  private now(): [seconds: bigint, claim: bigint] {
    const { seconds, claim } = expiredNumbers(this.clock.now());
    return [seconds, claim];
  }

  protected override async sweep(execute: Execute): Promise<void> {
    const some = `SELECT dedup_key FROM ${this.table} WHERE ${this.expired()} LIMIT ${SWEPT_AT_ONCE}`;
    await execute(`DELETE FROM ${this.table} WHERE dedup_key IN (${some}) AND ${this.expired()}`, [
      ...this.now(),
      ...this.now(),
    ]);
  }
}

function isAlike(a: StateWrite, b: StateWrite): boolean {
  if (a.expectedVersion !== b.expectedVersion || a.expiresAt !== b.expiresAt) return false;
  return a.value === b.value || isClaim(a) === isClaim(b);
}

function isClaim({ value }: StateWrite): boolean {
  return CLAIMED.equals(value);
}

/** What stands in the table for a write. */
export function numberOf(write: StateWrite): bigint {
  const { key, expiresAt } = write;
  if (expiresAt === undefined) throw errors.STORE_VALUE({ key, reason: "a key of deduplication has an end" });
  if (!isClaim(write)) return BigInt(Math.max(0, Math.ceil(expiresAt / 1000)));
  return -(BigInt(Math.floor(expiresAt)) * OWNER + BigInt(randomInt(Number(OWNER))));
}

/** What has expired has a number from 0 to `seconds`, or one between `claim` and 0. */
export function expiredNumbers(now: number): { readonly seconds: bigint; readonly claim: bigint } {
  // Behind every claim whose end is this millisecond, whoever holds it.
  return { seconds: BigInt(Math.floor(now / 1000)), claim: -(BigInt(now + 1) * OWNER) };
}

/** What a row says of its key. */
export function entryOf(key: string, number: bigint): StateEntry {
  const claimed = number < 0n;
  return {
    key,
    value: claimed ? CLAIMED : NOTHING,
    version: String(number),
    expiresAt: Number(claimed ? -number / OWNER : number * 1000n),
  };
}

function versionNumber(version: string): bigint {
  return /^-?\d{1,19}$/.test(version) ? BigInt(version) : 0n;
}
