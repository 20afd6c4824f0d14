import { isMqbError, type MqbError } from "@mqb/core/plugin";
import { sqlErrors } from "@mqb/sql";

const BUSY = 5;
const LOCKED = 6;
/** Out of memory, a disk that is full or fails: it may go on later. */
const LATER = [7, 10, 13];
const MISUSE = 21;
/** What SQLite says where the provider leaves the number out, as `@photostructure/sqlite` does of `all`. */
const BY_TEXT: readonly (readonly [RegExp, number])[] = [
  [/^database is locked/, BUSY],
  [/^database (?:table|schema) is locked/, LOCKED],
  [/^out of memory/, 7],
  [/^disk I\/O error/, 10],
  [/^database or disk is full/, 13],
];

/** The mqb error for what SQLite throws. */
export function classify(error: unknown, target: string): MqbError {
  if (isMqbError(error)) return error;
  const reason = (error as Error).message;
  const code = primaryCode(error);
  if (code === BUSY || code === LOCKED || (code !== undefined && LATER.includes(code))) {
    return sqlErrors.BUSY({ target, reason }, { cause: error });
  }
  if (code === MISUSE || /database is not open|statement has been finalized/i.test(reason)) {
    return sqlErrors.LOST({ target, reason }, { cause: error });
  }
  return sqlErrors.REFUSED({ target, reason }, { cause: error });
}

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/** Extended codes hold the plain one in their last byte. */
function primaryCode(error: unknown): number | undefined {
  const { errcode, code, message } = error as { errcode?: unknown; code?: unknown; message?: unknown };
  if (typeof errcode === "number") return errcode & 0xff;
  if (code !== "ERR_SQLITE_ERROR" || typeof message !== "string") return undefined;
  return BY_TEXT.find(([text]) => text.test(message))?.[1];
}
