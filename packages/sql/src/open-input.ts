import type { Consumer, OpenContext } from "@mqb/core/plugin";
import { cursorPlace, openPositions } from "./checkpoint/open.ts";
import { readStored } from "./checkpoint/position.ts";
import type { SqlxConfig } from "./config.ts";
import type { PreparedPages, SqlDatabase } from "./contract.ts";
import { openDatabase } from "./database.ts";
import { driverFor } from "./driver.ts";
import { errors } from "./errors.ts";
import { CursorConsumer } from "./source/cursor-consumer.ts";
import { Horizon, lagFence, writersFence } from "./source/horizon.ts";
import { Pauses } from "./source/pause.ts";
import { QueueConsumer, releaseLeft } from "./source/queue-consumer.ts";
import { Saver, SESSION } from "./source/saver.ts";
import { parseTableName, type TableName } from "./table-name.ts";
import { isUnique } from "./unique.ts";

export async function openInput(config: SqlxConfig, context: OpenContext): Promise<Consumer> {
  const driver = driverFor(config.url, context.service);
  const table = parseTableName(config.table, "table");
  const target = `${driver.target(config.url)} ${table.written}`;
  const shared = await openDatabase(driver, config, context);
  let stored: StoredPosition | undefined;
  try {
    const { clock, log, draining } = context;
    const pauses = new Pauses(clock, config.polling_interval_ms ?? 100, config.max_polling_interval_ms ?? undefined);
    const common = { pauses, log, draining, target, release: () => shared.release() };
    if (config.cursor_column == null) {
      const queue = await shared.value.queue(table);
      await releaseLeft(queue, context.session);
      const details = { driver: driver.dialect, mode: "queue" };
      return new QueueConsumer({
        ...common,
        queue,
        clock,
        session: context.session,
        remove: config.delete_after_read ?? false,
        details,
      });
    }
    const column = config.cursor_column;
    const pages = await shared.value.preparePages({ table, cursor: column, rfc3339: config.timestamps === "rfc3339" });
    stored = await storedPosition(config, context, shared.value);
    const acked = (context.session.get(SESSION) as string | undefined) ?? stored?.value;
    if (stored?.kind !== undefined && stored.kind !== pages.kind) {
      throw errors.CHECKPOINT_VALUE({
        id: config.cursor_id!,
        reason: `it holds ${stored.kind}:, and ${column} is ${pages.kind}:`,
      });
    }
    const saver = new Saver({ kind: pages.kind, acked, session: context.session, stored: stored?.place, clock, log });
    if (!draining || config.cursor_id != null) await warnOfTies(shared.value, table, column, { ...context, target });
    const horizon = horizonOf(config, pages, { ...context, target });
    // Where it cannot be, it is said now.
    if (config.cursor_safety === "snapshot") await pages.writers?.(context.signal);
    const stamp = context.positions || config.source_metadata === true;
    const details = { driver: driver.dialect, mode: "cursor_column", cursor_column: column };
    const from = { pages, column, table: table.written, after: acked, horizon };
    return new CursorConsumer({ ...common, ...from, saver, stamp, details });
  } catch (error) {
    await stored?.place?.positions.close().catch(() => {});
    await shared.release();
    throw error;
  }
}

type Telling = Pick<OpenContext, "clock" | "draining" | "log" | "session"> & { readonly target: string };

function horizonOf(
  config: SqlxConfig,
  pages: PreparedPages,
  { clock, draining, log, target }: Telling,
): Horizon | undefined {
  const { cursor_safety: safety, cursor_lag_ms: lag } = config;
  if (safety == null || safety === "none") return undefined;
  const fence = safety === "lag" ? lagFence(clock, lag!) : writersFence(pages);
  return new Horizon({ pages, fence, once: draining, clock, log, target });
}

/** A value that comes again after it was read is behind the position. Said once in the life of a route. */
async function warnOfTies(database: SqlDatabase, table: TableName, column: string, context: Telling): Promise<void> {
  const { log, session, target } = context;
  if (session.has(TIES)) return;
  session.set(TIES, true);
  const info = await database.describe(table);
  if (!info || isUnique(info, column)) return;
  log.warn(
    `${column} of ${target} has no unique index: a row that comes later with a value that was read already is passed over`,
  );
}

const TIES = "sqlx ties";

interface StoredPosition {
  readonly value?: string;
  readonly kind?: "int" | "str";
  readonly place: ConstructorParameters<typeof Saver>[0]["stored"];
}

async function storedPosition(
  config: SqlxConfig,
  context: OpenContext,
  database: SqlDatabase,
): Promise<StoredPosition | undefined> {
  const place = cursorPlace(config);
  if (!place) return undefined;
  const positions = await openPositions(place, () => database, context.openStore);
  try {
    const text = await positions.read(place.key);
    const found = text === undefined ? undefined : readStored(text, place.key, place.source).position;
    return { ...found, place: { place, positions } };
  } catch (error) {
    await positions.close();
    throw error;
  }
}
