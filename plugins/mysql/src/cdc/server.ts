import { isMqbError, type MqbError } from "@mqb/core/plugin";
import { classify } from "../client/classify.ts";
import type { MysqlPool } from "../client/pool.ts";
import type { Session } from "../client/session.ts";
import { errors } from "../errors.ts";
import { textLiteral } from "../literal.ts";
import { byteOf, fileName, fileOf, formatPlace, parseFile, placeOf } from "./place.ts";

/** What a reader of its log must know of a server. */
export interface Server {
  /** Tells it from others. */
  readonly identity: string;
  readonly isMariaDb: boolean;
  readonly hasChecksums: boolean;
  /** Names of tables mean the same in any case. */
  readonly foldsNames: boolean;
}

/** Where its log ends. */
export interface LogEnd {
  /** The name of the files without their numbers. */
  readonly base: string;
  readonly place: bigint;
}

const NEEDED: readonly (readonly [setting: string, wanted: RegExp, name: string])[] = [
  ["log_bin", /^(?:1|ON)$/i, "log_bin ON"],
  ["binlog_format", /^ROW$/i, "binlog_format ROW"],
  ["binlog_row_image", /^FULL$/i, "binlog_row_image FULL"],
  ["binlog_row_metadata", /^FULL$/i, "binlog_row_metadata FULL"],
];
const NEEDED_OF_MYSQL: typeof NEEDED = [
  ["binlog_transaction_compression", /^(?:0|OFF)$/i, "binlog_transaction_compression OFF"],
  ["binlog_row_value_options", /^$/, "binlog_row_value_options ''"],
];

/** Throws what is wrong with the settings of the server for this, with the remedy. */
export async function checkServer(session: Session, target: string): Promise<Server> {
  const { isMariaDb } = session;
  const needed = isMariaDb ? NEEDED : [...NEEDED, ...NEEDED_OF_MYSQL];
  const columns = needed.map(([setting]) => `@@GLOBAL.${setting}`).join(", ");
  const { rows } = await session.query(
    `SELECT @@GLOBAL.binlog_checksum, @@GLOBAL.lower_case_table_names, @@GLOBAL.server_id, ${columns}`,
  );
  const [checksum, lowerCase, serverId, ...values] = rows[0]!.map((cell) => (cell === null ? "" : String(cell)));
  for (const [i, [setting, wanted, name]] of needed.entries()) {
    const value = values[i] ?? "";
    if (!wanted.test(value)) throw errors.SETTING({ target, setting, value, wanted: name });
  }
  return {
    identity: await identityOf(session, serverId!),
    isMariaDb,
    hasChecksums: checksum !== "NONE",
    foldsNames: lowerCase !== "0",
  };
}

async function identityOf(session: Session, serverId: string): Promise<string> {
  const name = session.isMariaDb ? "server_uid" : "server_uuid";
  try {
    const { rows } = await session.query(`SELECT @@GLOBAL.${name}`);
    return String(rows[0]![0]);
  } catch {
    // Older ones have no such thing.
    return `server_id ${serverId}`;
  }
}

export async function endOfLog(session: Session): Promise<LogEnd> {
  const { rows } = await session
    .query("SHOW MASTER STATUS")
    // What it is called from MySQL 8.4 on.
    .catch((error: unknown) => {
      if ((error as { readonly errno?: unknown }).errno !== 1064) throw error;
      return session.query("SHOW BINARY LOG STATUS");
    });
  const [name, byte] = rows[0] ?? [];
  return endAt(String(name), String(byte));
}

export function endAt(name: string, byte: string): LogEnd {
  const file = parseFile(name);
  if (!file) throw errors.CONFIG({ field: "url", reason: `the server names its log "${name}", without a number` });
  return { base: file.base, place: placeOf(file.number, Number(byte)) };
}

/** The log files that the server still has, by their numbers, with their sizes. */
export async function logFiles(session: Session): Promise<ReadonlyMap<number, number>> {
  const { rows } = await session.query("SHOW BINARY LOGS");
  const files = new Map<number, number>();
  for (const [name, size] of rows) {
    const file = parseFile(String(name));
    if (file) files.set(file.number, Number(size));
  }
  return files;
}

const WRONG_OFFSET = 1220;

/** Why the log has no such place; undefined when it has. The server itself would wait there for ever. */
export async function placeFault(session: Session, base: string, place: bigint): Promise<PlaceFault | undefined> {
  const end = await endOfLog(session);
  const foreign = (reason: string): PlaceFault => ({ isPurged: false, reason });
  if (base !== end.base) return foreign(`its log is called ${end.base}`);
  if (place > end.place) return foreign(`its log ends at ${formatPlace(end.base, end.place)}`);
  const files = await logFiles(session);
  if (!files.has(fileOf(place))) {
    const first = Math.min(...files.keys());
    return { isPurged: true, reason: `its log begins with file ${first} now, and what was before it is deleted` };
  }
  // Behind the last event of a file there is none, and that is a place.
  if (place === end.place || byteOf(place) === files.get(fileOf(place))) return undefined;
  try {
    await session.query(
      `SHOW BINLOG EVENTS IN ${textLiteral(fileName(base, fileOf(place)))} FROM ${byteOf(place)} LIMIT 1`,
    );
    return undefined;
  } catch (error) {
    if ((error as { readonly errno?: unknown }).errno !== WRONG_OFFSET) throw error;
    return foreign("no event of its log begins there");
  }
}

export interface PlaceFault {
  readonly isPurged: boolean;
  readonly reason: string;
}

const NO_RIGHT = new Set([1044, 1142, 1143, 1227, 1370]);
const LOG_ERROR = 1236;

/** The mqb error for what the server says of the log. `position`: where it was to be read. */
export function refused(error: unknown, target: string, position: string): MqbError {
  const known = classify(error, target);
  const { errno } = (isMqbError(error) ? ((error.cause ?? error) as object) : (error as object)) as { errno?: unknown };
  const { message } = (isMqbError(error) ? (error.cause ?? error) : error) as Error;
  const options = { cause: error };
  if (NO_RIGHT.has(errno as number)) return errors.NO_RIGHT({ target, reason: message }, options);
  if (errno !== LOG_ERROR) {
    // Whatever is in the way of a connection is tried again with a new one.
    return known.kind === "connection" || known.kind === "config"
      ? known
      : errors.STREAM({ target, reason: known.message }, options);
  }
  if (/same server_?(?:uu)?id|same server/i.test(message))
    return errors.SERVER_ID({ target, reason: message }, options);
  if (
    /could not find|purged|bogus data|impossible position|first log|past (?:the )?end|checksum|corrupt/i.test(message)
  )
    return errors.PURGED({ target, position, reason: message }, options);
  return errors.STREAM({ target, reason: message }, options);
}

/** Runs work on a connection, and says what is wrong in the words of this endpoint. */
export async function ask<T>(
  pool: MysqlPool,
  work: (session: Session) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await pool.use(work, signal);
  } catch (error) {
    throw refused(error, pool.target, "its end");
  }
}
