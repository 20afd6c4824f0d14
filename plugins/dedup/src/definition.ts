import { randomBytes } from "node:crypto";
import { realpath } from "node:fs/promises";
import {
  type CheckContext,
  type Consumer,
  defineMiddleware,
  type Finding,
  type InputCapabilities,
  isMqbError,
  type Message,
  type MiddlewareContext,
} from "@mqb/core/plugin";
import { isDatabase } from "@mqb/standard";
import { type DeduplicationSettings, deduplicationSchema } from "./config.ts";
import { Deduplicator } from "./consumer.ts";
import { errors } from "./errors.ts";
import { KeyHash } from "./key/hash.ts";
import { KeyReader } from "./key/reader.ts";
import { asList, isJoined, parseKey } from "./key/template.ts";
import type { StoredAnswer } from "./log/log.ts";
import { openFolder } from "./log/open.ts";
import { checkInstalled, type Place, placeOf } from "./place.ts";
import { Seen } from "./seen.ts";
import { Claims } from "./shared/claims.ts";
import { SharedDeduplicator } from "./shared/consumer.ts";
import { KeyTexts } from "./shared/key-texts.ts";
import { Table } from "./table/table.ts";

/** Keys in memory, when the URL does not say. */
const MAX_KEYS = 1_000_000;
/** Set in a bridge that only shows what would happen: keys on disk are read, and none is written. */
const DRY_RUN = "mqb:dry-run";
/** No key lives longer: a moment that a number still tells exactly. */
const LONGEST_TTL_MS = 2 ** 52;

export const deduplication = defineMiddleware({
  description: "Drops messages whose key was seen before, within a time",
  schema: deduplicationSchema,
  keepsNothing: true,
  input: open,
  check,
});

async function open(
  inner: Consumer,
  settings: DeduplicationSettings,
  context: MiddlewareContext<InputCapabilities>,
): Promise<Consumer> {
  const { key, ttl_seconds, replay_response } = settings;
  // Before anything is opened.
  if (key != null) parseKey(key, process.env);
  const place = placeOf(settings, context.route, context.baseDir);
  const ttlMs = Math.min(ttl_seconds * 1000, LONGEST_TTL_MS);
  if (place.kind === "shared") {
    const claims = new Claims(await context.openStore(place.url), context.clock);
    const keys = new KeyTexts(key ?? undefined, process.env);
    return new SharedDeduplicator(inner, { claims, keys, ttlMs }, context);
  }
  const { seen, release } = await openPlace(place, context);
  const hash = new KeyHash(seen.seed);
  const keys = new KeyReader(key ?? undefined, hash, process.env);
  return new Deduplicator(inner, { seen, keys, hash, ttlMs, replays: replay_response ?? false, release }, context);
}

interface Opened {
  readonly seen: Seen;
  release(): Promise<void>;
}

type OwnPlace = Exclude<Place, { kind: "shared" }>;

async function openPlace(place: OwnPlace, context: MiddlewareContext<InputCapabilities>): Promise<Opened> {
  if (place.kind === "memory") return openMemory(place, context);
  const { clock, log, local } = context;
  const readOnly = local(DRY_RUN, () => false);
  const path = await realpath(place.path).catch(() => place.path);
  const folder = await context.share(
    `@mqb/dedup:folder:${path}`,
    async () => {
      const { seed, table, log: file } = await openFolder(path, { clock, log, readOnly });
      return { seen: new Seen(seed, table as Table<StoredAnswer | Message>, file), file };
    },
    async ({ seen }) => seen.close(),
  );
  if (place.durable && folder.value.file) folder.value.file.durable = true;
  return { seen: folder.value.seen, release: () => folder.release() };
}

/** Lives as long as the bridge: across reconnects, and for all routes that name it. */
function openMemory(
  { name, maxKeys }: Extract<Place, { kind: "memory" }>,
  { local, log }: MiddlewareContext<InputCapabilities>,
): Opened {
  const seen = local(`@mqb/dedup:memory:${name}`, () => {
    const table = new Table<StoredAnswer | Message>(maxKeys ?? MAX_KEYS);
    table.onEvicted = () => {
      table.onEvicted = undefined;
      log.warn(
        `the deduplication store memory://${name} holds more than max_keys=${table.maxKeys} keys: the oldest ones are forgotten, and later copies of their messages pass`,
      );
    };
    return new Seen(randomBytes(16), table);
  });
  if (maxKeys !== undefined) seen.table.maxKeys = maxKeys;
  return { seen, release: async () => {} };
}

function check(settings: DeduplicationSettings, context: CheckContext): readonly Finding[] {
  const findings: Finding[] = [];
  const attempt = (path: readonly string[], run: () => void): void => {
    try {
      run();
    } catch (error) {
      findings.push(findingOf(path, error));
    }
  };
  const { store, sled_path: sledPath, key, replay_response: replays } = settings;
  const isOne = (store == null) !== (sledPath == null);
  attempt(isOne ? [store == null ? "sled_path" : "store"] : [], () => {
    placeOf(settings, context.route, ".");
    // Services are those of packages that this one knows by their names only.
    checkInstalled(settings, (service) => context.service(service as never) !== undefined);
  });
  if (replays && store != null && isDatabase(store)) {
    attempt(["replay_response"], () => {
      throw errors.REPLAY_STORE({});
    });
  }
  if (key == null) return findings;
  attempt(["key"], () => {
    parseKey(key, process.env);
    if (typeof key !== "string" || !isJoined(key, process.env)) return;
    const joined = errors.KEY_JOINED({ key, list: asList(key) });
    findings.push({ ...findingOf(["key"], joined), level: "note" });
  });
  return findings;
}

function findingOf(path: readonly string[], error: unknown): Finding {
  if (!isMqbError(error)) throw error;
  const { code, message, hint } = error;
  return { level: "error", path, code, message, ...(hint === undefined ? {} : { hint }) };
}
