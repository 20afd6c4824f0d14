import { describeError, isMqbError, type ProbeContext, type ProbeFinding } from "@mqb/core/plugin";
import { target as targetOf } from "../client/url.ts";
import { rawRows } from "../raw.ts";
import { type CdcConfig, consumeOf, slotOf } from "./config.ts";
import { findPublication, findSlot } from "./server/catalog.ts";
import { connect, disconnect } from "./server/connection.ts";
import { checkTables } from "./server/publication.ts";
import { checkServer } from "./server/server.ts";
import { checkSlot } from "./server/slot.ts";

/** Connects, and looks at the server's settings, the rights, the publication and the slot. */
export async function probeCdc(config: CdcConfig, context: ProbeContext): Promise<ProbeFinding[]> {
  const target = targetOf(config.url);
  const found: ProbeFinding[] = [];
  const failing = (check: string, error: unknown): void => {
    context.signal.throwIfAborted();
    const hint = isMqbError(error) ? error.hint : undefined;
    found.push({ check, ok: false, detail: describeError(error), ...(hint === undefined ? {} : { hint }) });
  };
  let client: Awaited<ReturnType<typeof connect>>;
  try {
    client = await connect(config, context, false);
  } catch (error) {
    failing("reachable", error);
    return found;
  }
  const usesSlot = consumeOf(config) !== "snapshot";
  try {
    const [row] = await rawRows(client, "SELECT extract(epoch FROM clock_timestamp()) * 1000");
    found.push({
      check: "reachable",
      ok: true,
      detail: `${target} answers`,
      serverTime: Math.round(Number(row![0])),
    });
    if (usesSlot) {
      await checkServer(client, target).then(
        () => found.push({ check: "settings", ok: true, detail: "wal_level is logical" }),
        (error) => failing("settings", error),
      );
      await connect(config, context, true).then(
        async (replication) => {
          await disconnect(replication);
          found.push({ check: "rights", ok: true, detail: "the user may replicate" });
        },
        (error) => failing("rights", error),
      );
    }
    await probePublication(client, config, found, failing);
    if (usesSlot) await probeSlot(client, config, target, found, failing);
  } catch (error) {
    failing("readable", error);
  } finally {
    await disconnect(client);
  }
  return found;
}

type Client = Awaited<ReturnType<typeof connect>>;
type Failing = (check: string, error: unknown) => void;

async function probePublication(
  client: Client,
  config: CdcConfig,
  found: ProbeFinding[],
  failing: Failing,
): Promise<void> {
  const { publication: name } = config;
  const publication = await findPublication(client, name);
  if (!publication) {
    const detail = `there is no publication "${name}"`;
    if (config.create_publication) found.push({ check: "exists", ok: true, detail: `${detail}; it will be made` });
    else found.push({ check: "exists", ok: false, detail, hint: "create it, or set create_publication: true" });
    return;
  }
  const { tables } = publication;
  found.push({ check: "exists", ok: true, detail: `publication "${name}" has ${tables.length} tables` });
  const lacking = tables.filter(({ lacksIdentity }) => lacksIdentity);
  if (lacking.length > 0)
    found.push({
      check: "identity",
      ok: false,
      detail: `no primary key and no replica identity: ${lacking.map(({ schema, table }) => `${schema}.${table}`).join(", ")}`,
      hint: "PostgreSQL refuses UPDATE and DELETE of published tables without one: add a primary key, or ALTER TABLE … REPLICA IDENTITY FULL",
    });
  if (consumeOf(config) === "capture_new") return;
  try {
    checkTables(publication, config);
  } catch (error) {
    failing("keys", error);
  }
}

async function probeSlot(
  client: Client,
  config: CdcConfig,
  target: string,
  found: ProbeFinding[],
  failing: Failing,
): Promise<void> {
  const name = slotOf(config);
  const slot = await findSlot(client, name);
  const identity = `${target} slot ${name}`;
  if (!slot) {
    const detail = `there is no replication slot "${name}"`;
    if (config.create_slot !== false)
      found.push({ check: "slot", ok: true, detail: `${detail}; it will be made`, identity });
    else found.push({ check: "slot", ok: false, detail, hint: "create it, or set create_slot: true", identity });
    return;
  }
  try {
    await checkSlot(client, slot, config, target);
    const [row] = await rawRows(
      client,
      "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::text FROM pg_replication_slots WHERE slot_name = $1",
      [name],
    );
    const reader = slot.activePid === undefined ? "nobody reads it now" : `process ${slot.activePid} reads it now`;
    const detail = `slot "${name}" is ${row?.[0] ?? "?"} bytes behind the server; ${reader}`;
    found.push({ check: "slot", ok: true, detail, identity });
  } catch (error) {
    failing("slot", error);
  }
}
