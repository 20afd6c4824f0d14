import type pg from "pg";
import { errors } from "../../errors.ts";
import { lastRows, rawRows } from "../../raw.ts";
import { parseLsn } from "./lsn.ts";
import { refused } from "./refused.ts";

/** Throws what is wrong with the server for this at once, with the remedy. */
export async function checkServer(client: pg.ClientBase, target: string): Promise<void> {
  const [row] = await rawRows(client, "SELECT current_setting('wal_level')");
  const level = row![0]!;
  if (level !== "logical") throw errors.WAL_LEVEL({ target, level });
}

/** Which server this is, and which of its histories: one that took over, or goes on from a backup, has another one. */
export async function serverOf(replication: pg.Client, target: string): Promise<string> {
  try {
    const [row] = await lastRows(replication, "IDENTIFY_SYSTEM");
    const [system, timeline] = row!;
    return `${system}/${timeline}`;
  } catch (error) {
    throw refused(error, target);
  }
}

export async function currentPosition(client: pg.ClientBase): Promise<bigint> {
  const [row] = await rawRows(client, "SELECT pg_current_wal_insert_lsn()");
  return parseLsn(row![0]!)!;
}

/** How long it waits for a sign of life; 0 = for ever. */
export async function senderTimeout(client: pg.ClientBase): Promise<number> {
  const [row] = await rawRows(client, "SELECT setting FROM pg_settings WHERE name = 'wal_sender_timeout'");
  return Number(row?.[0] ?? 0);
}

const PAGE = 8192n;
const PAGE_HEADS: readonly bigint[] = [24n, 40n];

/** Where the log ends now. At the beginning of a page that is behind the page's head, which no change reaches. */
export async function endOfLog(client: pg.ClientBase): Promise<bigint> {
  const end = await currentPosition(client);
  const inPage = end % PAGE;
  return PAGE_HEADS.includes(inPage) ? end - inPage : end;
}
