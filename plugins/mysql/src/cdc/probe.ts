import { describeError, isMqbError, type ProbeContext, type ProbeFinding } from "@mqb/core/plugin";
import type { MysqlPool } from "../client/pool.ts";
import { target as targetOf } from "../client/url.ts";
import { type CdcConfig, consumeOf } from "./config.ts";
import { connectCdc } from "./open.ts";
import { formatPlace } from "./place.ts";
import { ask, checkServer, endOfLog, logFiles } from "./server.ts";
import { backfillTables } from "./snapshot.ts";
import { findTables } from "./tables.ts";

/** Connects, and looks at the server's settings, the rights and the tables. */
export async function probeCdc(config: CdcConfig, context: ProbeContext): Promise<ProbeFinding[]> {
  const target = targetOf(config.url);
  const found: ProbeFinding[] = [];
  const failing = (check: string, error: unknown): void => {
    context.signal.throwIfAborted();
    const hint = isMqbError(error) ? error.hint : undefined;
    found.push({ check, ok: false, detail: describeError(error), ...(hint === undefined ? {} : { hint }) });
  };
  let pool: MysqlPool;
  try {
    pool = await connectCdc(config, context);
  } catch (error) {
    failing("reachable", error);
    return found;
  }
  const consume = consumeOf(config);
  try {
    const [time, folds] = await ask(pool, async (session) => {
      const { rows } = await session.query("SELECT UNIX_TIMESTAMP(NOW(3)) * 1000, @@GLOBAL.lower_case_table_names");
      return [Math.round(Number(rows[0]![0])), String(rows[0]![1]) !== "0"] as const;
    });
    found.push({ check: "reachable", ok: true, detail: `${target} answers`, serverTime: time });
    if (consume !== "snapshot") await probeLog(pool, target, found, failing);
    const wanted = await ask(pool, (session) => findTables(session, config, folds, target));
    found.push({ check: "exists", ok: true, detail: `${wanted.now.length} tables` });
    if (consume !== "capture_new")
      await ask(pool, (session) => backfillTables(session, wanted, consume, target)).then(
        () => found.push({ check: "keys", ok: true, detail: "each table has a primary key of one column" }),
        (error) => failing("keys", error),
      );
  } catch (error) {
    failing("readable", error);
  } finally {
    await pool.close();
  }
  return found;
}

async function probeLog(
  pool: MysqlPool,
  target: string,
  found: ProbeFinding[],
  failing: (check: string, error: unknown) => void,
): Promise<void> {
  await ask(pool, (session) => checkServer(session, target)).then(
    () => found.push({ check: "settings", ok: true, detail: "the log holds whole rows and the names of columns" }),
    (error) => failing("settings", error),
  );
  await ask(pool, async (session) => ({ end: await endOfLog(session), files: await logFiles(session) })).then(
    ({ end, files }) => {
      const detail = `the log goes from file ${Math.min(...files.keys())} to ${formatPlace(end.base, end.place)}`;
      found.push({ check: "rights", ok: true, detail });
    },
    (error) => failing("rights", error),
  );
}
