import { isMqbError, type MqbError } from "@mqb/core/plugin";
import { sqlErrors } from "@mqb/sql";
import { isSqlState, type ServerFault, serverWords } from "./server-words.ts";

/** The server goes away, or was never there: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOST = /^(?:08|57P0[1-5]|53300)/;
/** Nobody is let in. */
const ACCESS = /^(?:28|3D000)/;
/** Of this statement with these values, for good. */
const REFUSED = /^(?:0A|21|22|23|42|44)/;

/** The mqb error for what the driver throws. */
export function classify(error: unknown, target: string): MqbError {
  if (isMqbError(error)) return error;
  const { reason, cause } = shown(error);
  const of = { target, reason };
  const options = { cause };
  const { code } = error as { readonly code?: unknown };
  if (!isSqlState(code) || LOST.test(code)) return sqlErrors.LOST(of, options);
  if (ACCESS.test(code)) return sqlErrors.ACCESS(of, options);
  if (REFUSED.test(code)) return sqlErrors.REFUSED(of, options);
  return sqlErrors.BUSY(of, options);
}

/**
 * What may be said of it. Whoever tells the whole story tells the cause too, with all that the server has sent along: that is
 * no part of it either.
 */
export function shown(error: unknown): { readonly reason: string; readonly cause: unknown } {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (!isSqlState(code)) return { reason: typeof message === "string" ? message : String(error), cause: error };
  const reason = serverWords(error as ServerFault);
  return { reason, cause: Object.assign(new Error(reason), { code }) };
}
