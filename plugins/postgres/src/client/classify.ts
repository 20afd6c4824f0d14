import { isMqbError, type MqbError } from "@mqb/core/plugin";
import { sqlErrors } from "@mqb/sql";

/** The server goes away, or was never there: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const LOST = /^(?:08|57P0[1-5]|53300)/;
/** Nobody is let in. */
const ACCESS = /^(?:28|3D000)/;
/** Of this statement with these values, for good. */
const REFUSED = /^(?:0A|21|22|23|42|44)/;

/** The mqb error for what the driver throws. */
export function classify(error: unknown, target: string): MqbError {
  if (isMqbError(error)) return error;
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  const of = { target, reason: reasonOf(error, message) };
  const options = { cause: error };
  if (typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code)) return sqlErrors.LOST(of, options);
  if (LOST.test(code)) return sqlErrors.LOST(of, options);
  if (ACCESS.test(code)) return sqlErrors.ACCESS(of, options);
  if (REFUSED.test(code)) return sqlErrors.REFUSED(of, options);
  return sqlErrors.BUSY(of, options);
}

/** With the column or constraint that the server names. */
function reasonOf(error: unknown, message: string): string {
  const { column, constraint } = error as { readonly column?: unknown; readonly constraint?: unknown };
  const named = [column, constraint].filter((name) => typeof name === "string" && !message.includes(name));
  return named.length > 0 ? `${message} (${named.join(", ")})` : message;
}
