/** What the driver makes of an error that the server has sent, as far as it matters here. */
export interface ServerFault {
  /** SQLSTATE. */
  readonly code: string;
  readonly message: string;
  readonly severity?: unknown;
  readonly detail?: unknown;
  readonly where?: unknown;
  readonly routine?: unknown;
  readonly position?: unknown;
  readonly internalQuery?: unknown;
  readonly schema?: unknown;
  readonly table?: unknown;
  readonly column?: unknown;
  readonly dataType?: unknown;
  readonly constraint?: unknown;
  /** Which one was refused, where the server does not say the place in it; without values of rows. */
  readonly statement?: unknown;
}

const MASK = "…";
/** Behind one of these words the server quotes a name and no value. */
const NAMED =
  /(?:^|[ (])(?:attribute|collation|columns?|configuration|constraint|cursor|database|dictionary|domain|encoding|enum|extension|function|host|index|language|method|option|parameter|partition|plugin|policy|portal|procedure|publication|relation|role|rule|schema|sequence|server|slot|statement|subscription|table|tablespace|trigger|type|user|view) $/;
/** A word of the statement, which the user has written. */
const OF_STATEMENT = /\bat or near $/;
/** Kinds of names that are a value, too, where nothing in the statement has them: of regclass, regtype and their like. */
const MAY_BE_VALUE = /^(?:3F000|42704|42883|42P01|42725)$/;
/** Of these kinds there is no type of values. */
const NAMES_NO_VALUE =
  /^(?:access method|constraint|extension|index|operator class|publication|replication origin|replication slot|server|subscription|tablespace|trigger|unrecognized configuration parameter)\b/;
/** What the author of a function lets it say: by the routine that throws it for PL/v8 and PL/Java, too. */
const BY_AUTHOR = /^(?:exec_stmt_|PLy_|plperl_|pltcl_|throw_tcl_error|plv8_|rethrow$|elogExceptionMessage)/;
const AUTHORS_STATE = /^(?:38|39)/;
/** In a function of any language but PL/pgSQL and SQL the words may be its author's. */
const AUTHORS_PLACE = /^(?:in )?PL\/(?!pgSQL )/i;
/** What a function says without a state of its own has this one, and so has what should never happen. */
const INTERNAL = "XX000";
const KNOWN_INTERNAL =
  /^(?:cache lookup failed for [a-z ]+ \d+|could not open relation with OID \d+|invalid memory alloc request size \d+|tuple (?:already updated by self|concurrently (?:deleted|updated)))$/;
/** Of the kinds of severity that there are, in the language of which the shape of messages is known. */
const ENGLISH = /^(?:ERROR|FATAL|PANIC)$/;
/** Spanish and Japanese say ERROR, too. */
const NOT_ENGLISH = /[^\p{ASCII}]/u;
/** Bytes of a text in another encoding. */
const BYTES = /\b0x[0-9a-f]{2}(?: 0x[0-9a-f]{2})*/gi;
const ANY_QUOTE = /["«»„“”‹›「」『』].*["«»„“”‹›「」『』]/s;

/** Whether a code is one of the server, and none of the system, such as EPIPE. */
export function isSqlState(code: unknown): code is string {
  return typeof code === "string" && /^(?=.*\d)[0-9A-Z]{5}$/.test(code);
}

/**
 * What the server says, without a value of a row: its message with what it quotes masked unless that is a name, the names
 * that it gives apart, and the SQLSTATE. Of the detail nothing is left but the columns of a key.
 */
export function serverWords(fault: ServerFault): string {
  const { code, schema, table, column, dataType, constraint } = fault;
  const said = isByAuthor(fault)
    ? "a function of the database has refused it, in words that may quote the row"
    : isEnglish(fault)
      ? inEnglish(fault)
      : inAnotherLanguage(fault);
  const more = [keyOf(fault), placeOf(fault)].filter((one) => one !== undefined);
  const shown = [said, ...more].join(" ");
  const names = [
    ["table", typeof schema === "string" && typeof table === "string" ? `${schema}.${table}` : table, table],
    ["column", column, column],
    ["type", dataType, dataType],
    ["constraint", constraint, constraint],
  ] as const;
  for (const [what, name, plain] of names)
    if (typeof name === "string" && !shown.includes(`"${String(plain)}"`)) more.push(`${what} ${name}`);
  return `${said} (${[...more, `SQLSTATE ${code}`].join(", ")})`;
}

function isByAuthor({ code, message, severity, routine, where }: ServerFault): boolean {
  if (BY_AUTHOR.test(String(routine)) || AUTHORS_STATE.test(code)) return true;
  if (typeof where === "string" && AUTHORS_PLACE.test(where)) return true;
  // Nobody is let in with it: no row is there yet.
  return code === INTERNAL && severity !== "FATAL" && !KNOWN_INTERNAL.test(message);
}

/** Names may be of any letters, and stand between double quotes there. */
function isEnglish({ message, severity }: ServerFault): boolean {
  if (severity !== undefined && !ENGLISH.test(String(severity))) return false;
  return !NOT_ENGLISH.test(message.replace(/"[^"]*"/g, ""));
}

function inAnotherLanguage({ message }: ServerFault): string {
  return message
    .replace(ANY_QUOTE, MASK)
    .replace(/[:：].*/s, `: ${MASK}`)
    .replace(BYTES, MASK);
}

function inEnglish(fault: ServerFault): string {
  const { code, message } = fault;
  // Behind the colon stands what could not be read.
  const colon = code.startsWith("22") ? message.indexOf(":") : -1;
  if (colon >= 0) return `${maskQuoted(message.slice(0, colon), fault)}: ${MASK}`;
  if (mayBeValue(fault)) return maskAll(message);
  return maskQuoted(message, fault).replace(BYTES, MASK);
}

/** A value is masked to the last quote of the message: quotes inside of it are not escaped. */
function maskQuoted(message: string, { internalQuery, position }: ServerFault): string {
  let shown = "";
  for (let at = 0; ; ) {
    const open = message.indexOf('"', at);
    if (open < 0) return shown + message.slice(at);
    const before = message.slice(at, open);
    shown += before;
    const close = message.indexOf('"', open + 1);
    const isName = NAMED.test(before) || (position !== undefined && OF_STATEMENT.test(before));
    if (close < 0 || !isName || internalQuery !== undefined) {
      const last = message.lastIndexOf('"');
      return `${shown}"${MASK}"${message.slice(last + 1)}`;
    }
    shown += message.slice(open, close + 1);
    at = close + 1;
  }
}

function mayBeValue({ code, message, position, statement }: ServerFault): boolean {
  if (position !== undefined || !MAY_BE_VALUE.test(code) || NAMES_NO_VALUE.test(message)) return false;
  const [, name] = /^[^":]*"([^"]*)"[^":]*$/.exec(message) ?? [];
  return name === undefined || typeof statement !== "string" || !namesIn(statement).has(name);
}

/** Its identifiers as the server has them: each, and each with what it is qualified by. */
function namesIn(statement: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [chain] of statement.matchAll(
    /(?:"(?:[^"]|"")*"|[\p{L}\p{N}_$]+)(?:\.(?:"(?:[^"]|"")*"|[\p{L}\p{N}_$]+))*/gu,
  )) {
    const parts = [...chain.matchAll(/"((?:[^"]|"")*)"|[^".]+/g)].map(
      ([plain, quoted]) => quoted?.replaceAll('""', '"') ?? plain.toLowerCase(),
    );
    names.add(parts.join("."));
    for (const part of parts) names.add(part);
  }
  return names;
}

function maskAll(message: string): string {
  const colon = message.indexOf(":");
  if (colon >= 0) return `${message.slice(0, colon)}: ${MASK}`;
  return message.replace(/".*"/s, `"${MASK}"`);
}

/** The columns of a key, and what is wrong with it. */
function keyOf({ detail }: ServerFault): string | undefined {
  if (typeof detail !== "string") return undefined;
  const key =
    /^Key \((.*?)\)=\(.*\) ((?:already exists|is duplicated|is (?:not present in|still referenced from) table ".*")\.)$/s;
  const [, columns, end] = key.exec(detail) ?? [];
  if (columns !== undefined) return `key (${columns})=(${MASK}) ${end!.slice(0, -1)}`;
  const [, excluded] = /^Key \((.*?)\)=\(.* conflicts with /s.exec(detail) ?? [];
  if (excluded !== undefined) return `key (${excluded})=(${MASK}) conflicts with another one`;
  const [, partition] = /^Partition key of the failing row contains \((.*?)\) = \(/.exec(detail) ?? [];
  return partition === undefined ? undefined : `partition key (${partition})`;
}

/** The function in which it has happened. Lines behind the first one quote statements and rows. */
function placeOf({ where }: ServerFault): string | undefined {
  if (typeof where !== "string") return undefined;
  const [, name, line] = /^PL\/pgSQL function ([^\n]+\)) line (\d+) at [^\n]*/.exec(where) ?? [];
  return name === undefined ? undefined : `function ${name} line ${line}`;
}
