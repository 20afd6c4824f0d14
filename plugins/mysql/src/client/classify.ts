import { isMqbError, type MqbError } from "@mqb/core/plugin";
import { sqlErrors } from "@mqb/sql";

/** The server goes away, has no room, or was never there: https://mariadb.com/docs/server/reference/error-codes */
const LOST = new Set([1040, 1053, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2013, 4031]);
/** Nobody is let in. */
const ACCESS = new Set([1044, 1045, 1046, 1049, 1130, 1251, 1275, 1524, 1698, 1820, 1862, 3118, 3159]);
/** Of this statement with these values, for good; those whose class does not say so. */
const REFUSED = new Set([
  1101, 1117, 1118, 1153, 1170, 1171, 1242, 1265, 1288, 1292, 1294, 1348, 1364, 1366, 1369, 1393, 1394, 1395, 1411,
  1415, 1416, 1426, 1441, 1442, 1467, 1468, 1471, 1525, 1526, 1665, 1690, 1748, 1906, 3105, 3140, 3141, 3156, 3819,
  4025, 4078, 4161,
]);
/** Of the statement with these values: a syntax error, a constraint, a value of the wrong kind, a signal of a trigger. */
const REFUSED_STATE = /^(?:0A|21|22|23|42|44|45)/;
/** A lock, a deadlock, a limit of the user or of the server, a statement that must be prepared again; whatever their class says. */
const BUSY = new Set([1020, 1203, 1205, 1213, 1226, 1290, 1317, 1461, 1615, 1836, 1969, 3024]);

interface DriverError {
  readonly errno?: unknown;
  readonly sqlState?: unknown;
  readonly message: string;
}

/** The mqb error for what the driver throws. */
export function classify(error: unknown, target: string): MqbError {
  if (isMqbError(error)) return error;
  const { errno, sqlState, message } = error as DriverError;
  const reason = withoutValues(message);
  const of = { target, reason };
  // Whoever tells the whole story tells the cause too.
  const options = { cause: reason === message ? error : Object.assign(new Error(reason), { errno, sqlState }) };
  if (typeof sqlState !== "string" || typeof errno !== "number" || LOST.has(errno)) return sqlErrors.LOST(of, options);
  if (ACCESS.has(errno)) return sqlErrors.ACCESS(of, options);
  if (BUSY.has(errno) || sqlState.startsWith("40")) return sqlErrors.BUSY(of, options);
  if (REFUSED.has(errno) || REFUSED_STATE.test(sqlState)) return sqlErrors.REFUSED(of, options);
  return sqlErrors.BUSY(of, options);
}

/** What the server does not understand, whatever the values. */
export function isOfStatement(error: unknown): boolean {
  const { errno, sqlState } = error as DriverError;
  return !BUSY.has(errno as number) && typeof sqlState === "string" && /^(?:0A|21|42)/.test(sqlState);
}

/** What the server says without the value that it quotes, to whose last quote it goes: quotes inside are not escaped. */
function withoutValues(message: string): string {
  return message
    .replace(/\b(entry) '.*' (for key )/s, "$1 '…' $2")
    .replace(/\b(value:) '.*'((?: for (?:column|function) .*)?)$/s, "$1 '…'$2")
    .replace(/\b(out of range in) '.*'/s, "$1 '…'")
    .replace(/\b(no partition for value) .*/s, "$1 …")
    .replace(/\b(near) '.*'/s, "$1 '…'");
}
