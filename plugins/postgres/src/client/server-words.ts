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
}

const MASK = "…";
/** Behind one of these words the server quotes a name and no value. */
const NAMED =
  /(?:^|[ (])(?:attribute|collation|columns?|configuration|constraint|cursor|database|dictionary|domain|encoding|enum|extension|function|host|index|language|method|option|parameter|partition|plugin|policy|portal|procedure|publication|relation|role|rule|schema|sequence|server|slot|statement|subscription|table|tablespace|trigger|type|user|view) $/;
/** A word of the statement, which the user has written. */
const OF_STATEMENT = /\bat or near $/;
/** Kinds of names that are a value, too, where nothing in the statement has them: of regclass, regtype and their like. */
const MAY_BE_VALUE = /^(?:3F000|42704|42883|42P01|42725)$/;
const NAMES_VALUE =
  /\b(?:collation|search configuration|search dictionary|function|operator|relation|role|schema|type)\b/;
/** What the author of a function lets it say. */
const BY_AUTHOR = /^(?:exec_stmt_|PLy_|plperl_|pltcl_)/;
const AUTHORS_STATE = /^(?:38|39)/;
/** Of the kinds of severity that there are, in the language of which the shape of messages is known. */
const ENGLISH = /^(?:ERROR|FATAL|PANIC)$/;
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
  const { code, severity, schema, table, column, dataType, constraint } = fault;
  const isEnglish = severity === undefined || ENGLISH.test(String(severity));
  const said = isEnglish ? inEnglish(fault) : fault.message.replace(ANY_QUOTE, MASK);
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

function inEnglish(fault: ServerFault): string {
  const { code, message, routine } = fault;
  if (BY_AUTHOR.test(String(routine)) || AUTHORS_STATE.test(code))
    return "a function of the database has refused it, in words that may quote the row";
  // Behind the colon stands what could not be read.
  const colon = code.startsWith("22") ? message.indexOf(":") : -1;
  if (colon >= 0) return `${maskQuoted(message.slice(0, colon), fault)}: ${MASK}`;
  if (mayBeValue(fault)) return maskAll(message);
  return maskQuoted(message, fault);
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

function mayBeValue({ code, message, position }: ServerFault): boolean {
  return position === undefined && MAY_BE_VALUE.test(code) && NAMES_VALUE.test(message.split(/[":]/, 1)[0]!);
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
