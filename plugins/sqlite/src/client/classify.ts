import { isMqbError, type MqbError } from "@mqb/core/plugin";
import { sqlErrors } from "@mqb/sql";

const BUSY = 5;
const LOCKED = 6;
/** Out of memory, a disk that is full or fails: it may go on later. */
const LATER = [7, 10, 13];
const MISUSE = 21;

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
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}
