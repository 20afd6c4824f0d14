import { describeError, isMqbError, type ProbeContext, type ProbeFinding } from "@mqb/core/plugin";
import type { SqlxConfig } from "./config.ts";
import { settingsOf } from "./database.ts";
import { driverFor } from "./driver.ts";
import { parseTableName } from "./table-name.ts";
import { isUnique } from "./unique.ts";

/** Connects and looks at the table. */
export async function probe(config: SqlxConfig, context: ProbeContext): Promise<readonly ProbeFinding[]> {
  const findings: ProbeFinding[] = [];
  try {
    const driver = driverFor(config.url, context.service);
    const target = driver.target(config.url);
    const database = await driver.connect(
      { ...settingsOf(config, "input"), maxConnections: 1, minConnections: 0 },
      context,
    );
    try {
      findings.push({ check: "reachable", ok: true, detail: `${target} answers` });
      const table = parseTableName(config.table, "table");
      const info = await database.describe(table);
      const willMake = context.side === "output" && config.auto_create_table === true;
      const identity = `${target} ${table.written.toLowerCase()}`;
      if (info)
        findings.push({
          check: "exists",
          ok: true,
          detail: `table ${config.table} has ${info.columns.length} columns`,
          identity,
        });
      else if (willMake)
        findings.push({
          check: "exists",
          ok: true,
          detail: `table ${config.table} is not there and will be created`,
          identity,
        });
      else
        findings.push({
          check: "exists",
          ok: false,
          detail: `there is no table ${config.table}`,
          hint: "create it first",
        });
      if (info && context.side === "input" && config.cursor_column != null && !isUnique(info, config.cursor_column)) {
        const detail = `${config.cursor_column} has no unique index: rows that come later with a value that was read already are passed over`;
        findings.push({ check: "cursor", ok: true, detail });
      }
    } finally {
      await database.close();
    }
  } catch (error) {
    const hint = isMqbError(error) ? error.hint : undefined;
    findings.push({
      check: "reachable",
      ok: false,
      detail: describeError(error),
      ...(hint === undefined ? {} : { hint }),
    });
  }
  return findings;
}
