import { defineMiddleware, isMap, type MiddlewareContext } from "@mqb/core/plugin";
import { Reopening } from "@mqb/standard";
import { AnswerCache } from "./cache.ts";
import { check } from "./check.ts";
import { type CacheSettings, type LookupSettings, lookupSchema } from "./config.ts";
import { lookupReceived } from "./consumer.ts";
import { openAll } from "./ends.ts";
import { Enricher, type Lookup } from "./enricher.ts";
import { parseInto } from "./into.ts";
import { Keys } from "./key.ts";
import { type Placed, pathOf, placed } from "./placed.ts";
import { lookupSent } from "./publisher.ts";
import { Requests } from "./request.ts";
import { Source } from "./source.ts";
import { compiler } from "./templates.ts";

export const lookup = defineMiddleware({
  description: "Asks other endpoints with each message and writes their answers into the payload",
  schema: lookupSchema,
  async input(inner, settings, context) {
    const lookups = await openLookups(settings, context);
    return lookupReceived(inner, new Enricher(lookups, settings), lookups, context);
  },
  async output(inner, settings, context) {
    const lookups = await openLookups(settings, context);
    return lookupSent(inner, new Enricher(lookups, settings), lookups);
  },
  children: (settings) =>
    placed(settings).map((one) => ({ path: pathOf(one), side: "output", endpoint: one.settings.from })),
  check,
});

type Context = MiddlewareContext<unknown>;

/** Set by a host that shows what would happen, where endpoints take note of what they are sent and answer nothing. */
const DRY_RUN = "mqb:dry-run";

function openLookups(settings: LookupSettings, context: Context): Promise<readonly Lookup[]> {
  return openAll(
    placed(settings).map((one, i) => {
      const answersBatches = context.children[i]?.output?.answersBatches ?? false;
      return openLookup(one, settings, context, answersBatches);
    }),
  );
}

async function openLookup(
  one: Placed,
  { on_error, concurrency, timeout_ms }: LookupSettings,
  context: Context,
  answersBatches: boolean,
): Promise<Lookup> {
  const { clock, session, log, route } = context;
  const relative = pathOf(one);
  const path = `${context.path}.${relative}`;
  const { into, from, cache } = one.settings;
  const compile = compiler(context, relative);
  const requests = new Requests(one.settings, compile);
  const keys = cache == null ? undefined : new Keys(cache.key, compile);
  const endpoint = withStatus(from);
  const open = () => context.openPublisher(endpoint, relative);
  const first = await open();
  const source = new Source({
    // The route does not connect anew for a failure that it does not see.
    publisher: on_error === "fail" ? first : new Reopening({ open, path, route, clock, log }, first),
    path,
    requests,
    answersBatches,
    concurrency,
    timeoutMs: timeout_ms ?? undefined,
    onTrial: context.local(DRY_RUN, () => false),
    cache: cache && keys && { answers: kept(session, relative, cache), keys },
    clock,
  });
  return { into: parseInto(into), source };
}

/** Outlives reconnects. */
function kept(session: Map<string, unknown>, relative: string, settings: CacheSettings): AnswerCache {
  const key = `answers of ${relative}`;
  const cache = (session.get(key) as AnswerCache | undefined) ?? new AnswerCache(settings);
  session.set(key, cache);
  return cache;
}

/** An http endpoint hands its status over, so that "not found" is an answer and no failure. */
function withStatus(endpoint: unknown): unknown {
  if (!isMap(endpoint) || !isMap(endpoint["http"])) return endpoint;
  return { ...endpoint, http: { ...endpoint["http"], pass_through_status: true } };
}
