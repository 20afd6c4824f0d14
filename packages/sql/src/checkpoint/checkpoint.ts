import type { Checkpoint, CheckpointContext } from "@mqb/core/plugin";
import type { SqlxConfig } from "../config.ts";
import type { SqlDatabase } from "../contract.ts";
import { settingsOf } from "../database.ts";
import { driverFor } from "../driver.ts";
import type { Positions } from "./checkpoint-table.ts";
import { cursorPlace, openPositions } from "./open.ts";
import { formatPosition, parsePosition, readStored, writeStored } from "./position.ts";

/** The stored position of a cursor; undefined when the configuration keeps none. */
export function checkpoint(config: SqlxConfig, context: CheckpointContext): Checkpoint | undefined {
  const place = cursorPlace(config);
  if (!place) return undefined;
  let database: SqlDatabase | undefined;
  let opened: Promise<Positions> | undefined;
  const connect = async (): Promise<SqlDatabase> => {
    const driver = driverFor(config.url, context.service);
    const settings = { ...settingsOf(config, "input"), maxConnections: 1, minConnections: 0 };
    const { baseDir, log } = context;
    const path = "input.sqlx";
    return (database = await driver.connect(settings, { path, baseDir, log, signal: new AbortController().signal }));
  };
  const positions = (): Promise<Positions> => (opened ??= openPositions(place, connect, context.openStore));
  return {
    source: place.source,
    async read() {
      const text = await (await positions()).read(place.key);
      if (text === undefined) return undefined;
      const { position, updatedAt } = readStored(text, place.key, place.source);
      return { value: formatPosition(position), ...(updatedAt === undefined ? {} : { updatedAt }) };
    },
    async write(value) {
      const text = writeStored(parsePosition(value, place.key), place.source, context.clock.now());
      await (await positions()).write(place.key, text);
    },
    async clear() {
      await (await positions()).clear(place.key);
    },
    async close() {
      await (await opened)?.close();
      await database?.close();
    },
  };
}
