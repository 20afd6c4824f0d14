import type { Checkpoint, CheckpointContext } from "@mqb/core/plugin";
import { target as targetOf } from "../client/url.ts";
import { errors } from "../errors.ts";
import { type CdcConfig, sourceName } from "./config.ts";
import { connectCdc } from "./open.ts";
import { parsePlace } from "./place.ts";
import { Positions, sourceOf, storeUrl } from "./positions.ts";
import { ask, checkServer, placeFault } from "./server.ts";

/** The stored position in the log. Undefined where none is kept. */
export function checkpointCdc(config: CdcConfig, context: CheckpointContext): Checkpoint | undefined {
  const { checkpoint_store: store, cursor_id: cursor } = config;
  if (store == null || cursor == null) return undefined;
  const id = sourceName(config);
  let opened: Promise<Positions> | undefined;
  const positions = (): Promise<Positions> =>
    (opened ??= context
      .openStore(storeUrl(store, context.baseDir))
      .then((one) => new Positions(one, config, context.clock)));
  return {
    source: sourceOf(config),
    async read() {
      const stored = await (await positions()).readPlace();
      if (!stored) return undefined;
      const { text, updatedAt } = stored;
      return { value: text, ...(updatedAt > 0 ? { updatedAt } : {}) };
    },
    async write(value) {
      const parsed = parsePlace(value);
      if (!parsed) throw errors.CHECKPOINT({ id, reason: `"${value}" is no position (file:byte)` });
      const identity = await checkedIdentity(config, context, parsed, id);
      await (await positions()).writePlace(value, identity);
    },
    async clear() {
      await (await positions()).clear();
    },
    async close() {
      await (await opened)?.close();
    },
  };
}

/** A position that the server's log does not have is refused now, not at the next start. */
async function checkedIdentity(
  config: CdcConfig,
  { baseDir }: CheckpointContext,
  { base, place }: { readonly base: string; readonly place: bigint },
  id: string,
): Promise<string> {
  const pool = await connectCdc(config, { path: "input.mysql_cdc", baseDir, signal: new AbortController().signal });
  try {
    return await ask(pool, async (session) => {
      const server = await checkServer(session, targetOf(config.url));
      const fault = await placeFault(session, base, place);
      if (fault) throw errors.CHECKPOINT({ id, reason: `${targetOf(config.url)} has no such place: ${fault.reason}` });
      return server.identity;
    });
  } finally {
    await pool.close();
  }
}
