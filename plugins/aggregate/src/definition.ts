import {
  type CheckContext,
  defineMiddleware,
  type Finding,
  type MqbError,
  type OpenContext,
  type StateStore,
} from "@mqb/core/plugin";
import { type AggregateSettings, aggregateSchema } from "./config.ts";
import { AggregateConsumer } from "./consumer.ts";
import { compileEntries } from "./entries.ts";
import { errors } from "./errors.ts";
import { Folder } from "./folder.ts";
import { leaseKey } from "./key.ts";
import { InMemory } from "./modes/in-memory.ts";
import { Lease } from "./modes/lease.ts";
import type { Mode } from "./modes/mode.ts";
import { Shared } from "./modes/shared.ts";
import { WriteBehind } from "./modes/write-behind.ts";
import { aggregateSent } from "./publisher.ts";
import { Reading } from "./reading.ts";
import { Writer } from "./result.ts";
import { isOnePlace, placeOf, prefixOf, SCHEMES, schemeOf } from "./states/place.ts";
import { Table } from "./states/table.ts";

const MAX_KEYS = 1_000_000;

export const aggregate = defineMiddleware({
  description: "Keeps a running state per key (sums, counts, averages) and writes it into each message",
  schema: aggregateSchema,
  async input(inner, settings, context) {
    return new AggregateConsumer(inner, await open(settings, context), settings.on_error ?? "drop", context);
  },
  async output(inner, settings, context) {
    return aggregateSent(inner, await open(settings, context), context);
  },
  check,
});

async function open(settings: AggregateSettings, context: OpenContext): Promise<Mode> {
  const { store, consistency, on_error, read_only, max_keys } = settings;
  const [onError, readOnly, most] = [on_error ?? "drop", read_only ?? false, max_keys ?? MAX_KEYS];
  const stop = (error: MqbError): never => {
    throw error;
  };
  const { entries, paths, timeSlot } = compileEntries(settings, context.clock, stop, () => context.expressions());
  const folder = new Folder(entries, new Reading(paths), { onError, timeSlot, readOnly, clock: context.clock });
  const writer = new Writer(entries, onError);
  if (store == null) return new InMemory(folder, writer, tablesOf(context, entries.length, most), context.log);
  const prefix = prefixOf(store, settings.table ?? undefined, context.route);
  const opened = await context.openStore(placeOf(store, context.route));
  if (consistency === "single_writer" && !readOnly) {
    const lease = await leaseOf(
      opened,
      entries.map(({ into }) => leaseKey(prefix, into)),
      context,
    );
    return new WriteBehind(folder, writer, opened, lease, prefix, most);
  }
  return new Shared(folder, writer, opened, prefix, readOnly);
}

/** What the route holds still, when it could not be given back before a reconnect, is its own. */
async function leaseOf(store: StateStore, keys: readonly string[], { clock, session }: OpenContext): Promise<Lease> {
  const before = session.get("lease") as string | undefined;
  try {
    const lease = await Lease.take({ store, keys, clock, ...(before === undefined ? {} : { id: before }) });
    session.set("lease", lease.id);
    return lease;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** They stay from the start of the route to its end, across reconnects. */
function tablesOf({ session }: OpenContext, count: number, most: number): readonly Table[] {
  const known = session.get("states") as readonly Table[] | undefined;
  if (known) return known;
  const tables = Array.from({ length: count }, () => new Table(most));
  session.set("states", tables);
  return tables;
}

/** Opens no store. */
function check(settings: AggregateSettings, context: CheckContext): readonly Finding[] {
  const findings: Finding[] = [];
  const find = (error: MqbError, path: readonly (string | number)[]): void => {
    const { code, message, hint } = error;
    findings.push({ level: "error", path, code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const { store, consistency, read_only: readOnly } = settings;
  if (store == null) {
    if (readOnly) find(errors.READ_ONLY({}), ["read_only"]);
    else if (consistency !== "single_writer") find(errors.NO_STORE({}), []);
  } else {
    const scheme = schemeOf(store);
    if (!SCHEMES.includes(scheme)) find(errors.STORE_SCHEME({ scheme, known: SCHEMES }), ["store"]);
  }
  if (settings.table != null && (store == null || !isOnePlace(store))) find(errors.TABLE({}), ["table"]);
  compileEntries(settings, { now: Date.now, monotonic: () => 0, timer: () => () => {} }, find, () =>
    context.expressions(),
  );
  return findings;
}
