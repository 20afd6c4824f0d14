import type { ConfiguredRoute } from "@mqb/config";
import { createBridge, formatPath, type Registry, type ResolvedEndpoint, type RoutePlan } from "@mqb/core";
import {
  type Clock,
  codeOf,
  describeError,
  isMqbError,
  type Logger,
  type ProbeFinding,
  silentLogger,
} from "@mqb/core/plugin";
import { endpointsOf, storesOf } from "./places.ts";

export interface LookOptions {
  readonly registry: Registry;
  /** Endpoints by name, for `ref`. */
  readonly endpoints: Readonly<Record<string, unknown>>;
  readonly baseDir: string;
  readonly clock: Clock;
  readonly log?: Logger;
  /** How long one endpoint may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Aborts when the process is asked to end. */
  readonly stop: AbortSignal;
}

/** What was seen at one place of a route. */
export interface Sight {
  /** `input.file`, `output.middlewares[0].dlq.endpoint.file`, or of a store the field that names it. */
  readonly path: string;
  /** The endpoint's key, or the URL's scheme of a store. */
  readonly name: string;
  /** `probed`: it looked itself; `opened`: it was opened and closed; `not probed`: it cannot be looked at harmlessly. */
  readonly how: "probed" | "opened" | "not probed";
  readonly findings: readonly ProbeFinding[];
}

/** A clock that is further off than this is a finding. */
const SKEW_MS = 5000;

/** Looks at everything that a route connects to, at the same time. Writes nothing, takes no message; never rejects. */
export async function look(route: ConfiguredRoute, plan: RoutePlan, options: LookOptions): Promise<Sight[]> {
  const endpoints = endpointsOf(plan).map((endpoint) => lookAtEndpoint(endpoint, route, plan, options));
  const stores = storesOf(plan).map(({ path, url }) => lookAtStore(path, url, options));
  const sights = await Promise.all([...endpoints, ...stores]);
  const loop = readsWhatItWrites(sights);
  return loop ? [...sights, loop] : sights;
}

async function lookAtEndpoint(
  endpoint: ResolvedEndpoint,
  route: ConfiguredRoute,
  plan: RoutePlan,
  options: LookOptions,
): Promise<Sight> {
  const { definition, type, side, config } = endpoint;
  const place = { path: formatPath(endpoint.configPath), name: type };
  const { probe } = definition;
  if (probe) {
    const { clock, baseDir, log = silentLogger } = options;
    const { service } = options.registry;
    const findings = await patiently(options, async (signal) => {
      const before = clock.now();
      const context = { route: route.name, path: place.path, side, signal, log, clock, baseDir, service };
      const found = await probe(config, context);
      return found.flatMap((finding) => [finding, ...clockFinding(finding, before, clock.now())]);
    });
    return { ...place, how: "probed", findings };
  }
  if (endpoint === plan.input && endpoint.input?.opensHarmlessly)
    return { ...place, how: "opened", findings: await patiently(options, () => openAndClose(route, options)) };
  return { ...place, how: "not probed", findings: [] };
}

/** Opens the route's source without its middlewares, and closes it before it has received anything. */
async function openAndClose(
  route: ConfiguredRoute,
  { registry, endpoints, baseDir, clock }: LookOptions,
): Promise<ProbeFinding[]> {
  const { middlewares: _, ...bare } = (route.config as { input: Record<string, unknown> }).input;
  const consumer = await createBridge({ registry, endpoints, clock, baseDir }).openConsumer(bare);
  await consumer.close();
  return [{ check: "reachable", ok: true, detail: "it could be opened" }];
}

async function lookAtStore(path: string, url: string, options: LookOptions): Promise<Sight> {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? "file";
  const store = options.registry.store(scheme);
  const place = { path, name: scheme };
  if (!store) {
    const install = options.registry.packageFor("store", scheme);
    const hint = install === undefined ? "check the URL's scheme" : `install ${install}`;
    const finding = { check: "installed", ok: false, detail: `no state store for ${scheme}: is installed`, hint };
    return { ...place, how: "probed", findings: [finding] };
  }
  const { probe } = store.definition;
  if (!probe) return { ...place, how: "not probed", findings: [] };
  const { baseDir, clock } = options;
  return { ...place, how: "probed", findings: await patiently(options, () => probe(url, { baseDir, clock })) };
}

/** The findings; one that is not ok when it fails or takes too long. */
async function patiently(
  { clock, timeoutMs, stop }: LookOptions,
  run: (signal: AbortSignal) => Promise<readonly ProbeFinding[]>,
): Promise<readonly ProbeFinding[]> {
  const late = new AbortController();
  const signal = AbortSignal.any([late.signal, stop]);
  const given = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  const cancel = clock.timer(timeoutMs, () => late.abort(new Error(`there was no answer within ${timeoutMs} ms`)));
  try {
    return await Promise.race([run(signal), given]);
  } catch (error) {
    return [failure(error)];
  } finally {
    cancel();
    given.catch(() => {});
  }
}

function failure(error: unknown): ProbeFinding {
  const code = codeOf(error);
  const detail = code === undefined ? describeError(error) : `${describeError(error)} [${code}]`;
  const hint = isMqbError(error) ? error.hint : undefined;
  return { check: "reachable", ok: false, detail, ...(hint === undefined ? {} : { hint }) };
}

/** The server's clock against the own one, with the time that the question took on the server's side. */
function clockFinding({ serverTime }: ProbeFinding, before: number, after: number): ProbeFinding[] {
  if (serverTime === undefined) return [];
  const skew = serverTime < before ? serverTime - before : serverTime > after ? serverTime - after : 0;
  const off = `${(Math.abs(skew) / 1000).toFixed(1)} s`;
  if (Math.abs(skew) <= SKEW_MS) return [{ check: "clock", ok: true, detail: `the clocks are at most ${off} apart` }];
  const detail = `the server's clock is ${off} ${skew > 0 ? "ahead" : "behind"}`;
  return [{ check: "clock", ok: false, detail, hint: "set the clocks, e.g. by NTP: leases and expiries go by them" }];
}

function readsWhatItWrites(sights: readonly Sight[]): Sight | undefined {
  const identities = (side: string): Map<string, Sight> =>
    new Map(
      sights
        .filter(({ path }) => path.startsWith(side))
        .flatMap((sight) =>
          sight.findings.flatMap(({ identity }) => (identity === undefined ? [] : [[identity, sight]])),
        ),
    );
  const read = identities("input");
  for (const [identity, sight] of identities("output")) {
    const source = read.get(identity);
    if (!source) continue;
    const detail = `it is what ${source.path} reads: the route would feed itself`;
    return { ...sight, findings: [{ check: "loop", ok: false, detail, hint: "write to another place" }] };
  }
  return undefined;
}
