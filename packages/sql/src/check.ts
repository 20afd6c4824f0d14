import type { CheckContext, Finding } from "@mqb/core/plugin";
import { isMqbError } from "@mqb/core/plugin";
import { checkTls } from "@mqb/tls";
import { captureOf, settingsOf } from "./changes.ts";
import { cursorPlace } from "./checkpoint/open.ts";
import type { SqlxConfig } from "./config.ts";
import type { SqlDriver } from "./contract.ts";
import { driverFor } from "./driver.ts";
import { errors } from "./errors.ts";
import { keyNames } from "./key.ts";
import { plainColumns, tailOf } from "./statement/insert.ts";
import { checkLookup } from "./statement/lookup.ts";
import { parseStatement, type Statement } from "./statement/parse.ts";
import { parseTableName } from "./table-name.ts";

/** What is wrong with a configuration of the right shape, as far as it can be told without the database. */
export function check(config: SqlxConfig, context: CheckContext): readonly Finding[] {
  const findings: Finding[] = [...checkTls(config.tls, ["tls"], "client")];
  const refuse = (field: string, act: () => void): void => {
    try {
      act();
    } catch (error) {
      if (!isMqbError(error)) throw error;
      const { code, message, hint } = error;
      findings.push({ level: "error", path: [field], code, message, ...(hint === undefined ? {} : { hint }) });
    }
  };
  let driver: SqlDriver | undefined;
  refuse("url", () => {
    driver = driverFor(config.url, context.service);
    const reason = driver.urlFault(config.url);
    if (reason !== undefined) throw errors.URL({ field: "url", reason });
  });
  for (const field of driver?.unused ?? []) {
    if ((config as Readonly<Record<string, unknown>>)[field] == null) continue;
    const message = `${field} has no effect with ${driver!.dialect}`;
    findings.push({ level: "note", path: [field], code: "MQB_SQL_UNUSED", message });
  }
  refuse("table", () => parseTableName(config.table, "table"));
  if (context.side === "output") checkOutput(config, driver, refuse, findings);
  else checkInput(config, driver, refuse, findings, context.draining);
  return findings;
}

type Refuse = (field: string, act: () => void) => void;

function checkOutput(config: SqlxConfig, driver: SqlDriver | undefined, refuse: Refuse, findings: Finding[]): void {
  const { columns, key, extra_column: extra, insert_query: insert, lookup_query: lookup } = config;
  const together = (first: string, second: string, reason: string) => (): never => {
    throw errors.TOGETHER({ first, second, reason });
  };
  if (columns === "auto") {
    if (insert != null) refuse("columns", together("columns: auto", "insert_query", "both say what is written"));
    if (config.auto_create_table) {
      const reason = "that table has no column for a field; create the table first";
      refuse("auto_create_table", together("auto_create_table", "columns: auto", reason));
    }
    if (config.bulk_copy && keyNames(key).length > 0)
      refuse("bulk_copy", together("bulk_copy", "key", "COPY cannot update rows"));
  } else {
    for (const [field, value] of [
      ["key", key],
      ["extra_column", extra],
    ] as const) {
      if (value != null)
        refuse(field, () => {
          throw errors.NEEDS({ field, needs: "columns: auto" });
        });
    }
  }
  if (key != null && keyNames(key).length === 0)
    refuse("key", () => {
      throw errors.NEEDS({ field: "key", needs: "the name of a column" });
    });
  const statement = insert == null ? undefined : parsed(insert, "insert_query", refuse);
  if (statement && config.auto_create_table && statement.tokens.length > 0) {
    const reason = `the table that is created has no column for ${statement.tokens[0]}`;
    refuse("auto_create_table", together("auto_create_table", "insert_query", reason));
  }
  if (statement && statement.tokens.length === 0) {
    refuse("insert_query", () => {
      throw errors.STATEMENT({
        field: "insert_query",
        reason: "it has no token, so that every message would write the same",
      });
    });
  }
  if (config.bulk_copy) checkBulkCopy(config, driver, statement, refuse);
  if (lookup == null) return;
  for (const [field, value] of [
    ["insert_query", insert],
    ["columns", columns],
    ["auto_create_table", config.auto_create_table || undefined],
    ["bulk_copy", config.bulk_copy || undefined],
  ] as const) {
    if (value != null) refuse(field, together(field, "lookup_query", "an output either writes or answers"));
  }
  const query = parsed(lookup, "lookup_query", refuse);
  if (query) findings.push(...checkLookup(query));
}

function checkBulkCopy(
  config: SqlxConfig,
  driver: SqlDriver | undefined,
  statement: Statement | undefined,
  refuse: Refuse,
): void {
  if (driver && !driver.bulkCopy)
    refuse("bulk_copy", () => {
      throw errors.NOT_HERE({ field: "bulk_copy", reason: `${driver.dialect} has no COPY` });
    });
  if (config.columns === "auto") return;
  refuse("bulk_copy", () => {
    if (!statement) throw errors.NEEDS({ field: "bulk_copy", needs: "columns: auto, or an insert_query with tokens" });
    const clause = /\bon\s+conflict\b|\breturning\b/i.exec(tailOf(statement))?.[0];
    if (clause !== undefined) {
      const second = `insert_query with ${clause.toUpperCase().replace(/\s+/g, " ")}`;
      throw errors.TOGETHER({ first: "bulk_copy", second, reason: "COPY only appends rows" });
    }
    if (plainColumns(statement)) return;
    const needs = "an insert_query of the form INSERT INTO table (column, …) VALUES (${…}, …)";
    throw errors.NEEDS({ field: "bulk_copy", needs });
  });
}

function checkInput(
  config: SqlxConfig,
  driver: SqlDriver | undefined,
  refuse: Refuse,
  findings: Finding[],
  draining: boolean,
): void {
  const column = config.cursor_column;
  if (config.publication != null) {
    checkChanges(config, config.publication, driver, refuse, findings);
    return;
  }
  for (const field of ["slot_name", "create_publication"] as const) {
    if (config[field] == null || config[field] === false) continue;
    refuse(field, () => {
      throw errors.NEEDS({ field, needs: "publication" });
    });
  }
  if (config.select_query != null) {
    refuse("select_query", () => {
      throw errors.NOT_HERE({ field: "select_query", reason: "create a view and name it as table" });
    });
  }
  if (column == null) {
    for (const field of ["cursor_id", "checkpoint_store"] as const) {
      if (config[field] != null)
        refuse(field, () => {
          throw errors.NEEDS({ field, needs: "cursor_column" });
        });
    }
    for (const field of ["cursor_safety", "cursor_lag_ms"] as const) {
      if (config[field] != null)
        refuse(field, () => {
          throw errors.NEEDS({ field, needs: "cursor_column" });
        });
    }
    for (const field of ["source_metadata", "timestamps"] as const) {
      if (config[field] == null || config[field] === false || config[field] === "text") continue;
      refuse(field, () => {
        throw errors.NEEDS({ field, needs: "cursor_column: rows of a queue are their payloads" });
      });
    }
    return;
  }
  if (config.delete_after_read) {
    refuse("delete_after_read", () => {
      throw errors.TOGETHER({
        first: "delete_after_read",
        second: "cursor_column",
        reason: "reading by a cursor never writes to the table",
      });
    });
  }
  if (config.timestamps === "rfc3339" && driver && driver.dialect !== "postgres") {
    refuse("timestamps", () => {
      throw errors.NOT_HERE({ field: "timestamps", reason: `${driver.dialect} has no type for times with a zone` });
    });
  }
  if (config.checkpoint_store != null && config.cursor_id == null) {
    refuse("checkpoint_store", () => {
      throw errors.NEEDS({ field: "checkpoint_store", needs: "cursor_id, the name of the position" });
    });
  }
  refuse("checkpoint_store", () => void cursorPlace(config));
  checkSafety(config, driver, refuse, findings, draining && config.cursor_id == null);
  if (config.cursor_id == null) {
    findings.push({
      level: "note",
      path: ["cursor_column"],
      code: "MQB_SQL_NO_CURSOR_ID",
      message: "no position is kept: every start reads the table from its beginning",
      hint: "set cursor_id to a name for the position",
    });
  }
}

/** Ways to read the table itself. */
const OF_TABLE = [
  "select_query",
  "delete_after_read",
  "cursor_column",
  "cursor_safety",
  "cursor_lag_ms",
  "cursor_id",
  "checkpoint_store",
  "timestamps",
] as const;
/** Of the pool, and of looking again and again. */
const UNUSED = [
  "polling_interval_ms",
  "max_polling_interval_ms",
  "max_connections",
  "min_connections",
  "acquire_timeout_ms",
  "idle_timeout_ms",
  "max_lifetime_ms",
  "test_before_acquire",
] as const;

function checkChanges(
  config: SqlxConfig,
  publication: string,
  driver: SqlDriver | undefined,
  refuse: Refuse,
  findings: Finding[],
): void {
  for (const field of OF_TABLE) {
    if (config[field] == null || config[field] === false) continue;
    const reason = "its changes come from a replication slot, which keeps the position; postgres_cdc has more settings";
    refuse(field, () => {
      throw errors.TOGETHER({ first: field, second: "publication", reason });
    });
  }
  for (const field of UNUSED) {
    if (config[field] == null || config[field] === false) continue;
    const message = `${field} has no effect with publication: a slot is read on one connection`;
    findings.push({ level: "note", path: [field], code: "MQB_SQL_UNUSED", message });
  }
  if (!driver) return;
  refuse("publication", () => {
    // It looks at the URL and TLS, too, as it does where it is an endpoint of its own.
    const known = new Set(findings.map(placeOf));
    findings.push(
      ...captureOf(driver)
        .check(settingsOf(config, publication))
        .filter((one) => !known.has(placeOf(one))),
    );
  });
}

/** What is wrong there is said once. */
function placeOf({ level, path }: Finding): string {
  return JSON.stringify([level, path]);
}

/** `readsOnce`: no position is left that something could come behind. */
function checkSafety(
  config: SqlxConfig,
  driver: SqlDriver | undefined,
  refuse: Refuse,
  findings: Finding[],
  readsOnce: boolean,
): void {
  const { cursor_safety: safety, cursor_lag_ms: lag, cursor_column: column } = config;
  if (safety === "lag" && !lag)
    refuse("cursor_safety", () => {
      throw errors.NEEDS({ field: "cursor_safety: lag", needs: "cursor_lag_ms, longer than any transaction takes" });
    });
  if (lag != null && safety !== "lag")
    refuse("cursor_lag_ms", () => {
      throw errors.NEEDS({ field: "cursor_lag_ms", needs: "cursor_safety: lag" });
    });
  if (safety === "snapshot" && driver && !driver.tellsWriters)
    refuse("cursor_safety", () => {
      const reason = `${driver.dialect} does not tell which transactions are open; use cursor_safety: lag`;
      throw errors.NOT_HERE({ field: "cursor_safety: snapshot", reason });
    });
  if (safety != null || !driver || driver.oneWriter || readsOnce) return;
  findings.push({
    level: "warning",
    path: ["cursor_column"],
    code: "MQB_SQL_CURSOR_LOSES",
    message: `rows that are committed late with a smaller ${column} than was read already are passed over`,
    hint: `set cursor_safety: ${driver.tellsWriters ? "snapshot" : "lag"}; with none you accept it`,
  });
}

function parsed(query: string, field: string, refuse: Refuse): Statement | undefined {
  let statement: Statement | undefined;
  refuse(field, () => {
    statement = parseStatement(query, field);
  });
  return statement;
}
