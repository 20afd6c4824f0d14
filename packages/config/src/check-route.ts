import { type CheckedRoute, checkRoute, type References, type Registry } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";

/** Route options that a host gives to routes which do not write them. */
export interface RouteDefaults {
  readonly concurrency: number;
  /** For sinks that do not name a size of their own. */
  readonly batch_size: number;
}

export interface RouteCheck {
  /** With the defaults filled in; what `Bridge.route` takes. */
  readonly config: unknown;
  readonly checked: CheckedRoute;
}

/** Checks a route after filling in the host's defaults. An option that is `null` counts as not written. */
export function checkWithDefaults(
  registry: Registry,
  name: string,
  written: unknown,
  { batch_size: usual, ...defaults }: RouteDefaults,
  references?: References,
): RouteCheck {
  const config = withDefaults(written, defaults);
  const checked = checkRoute(registry, name, config, references);
  if (!isMap(config) || (config["batch_size"] ?? undefined) !== undefined) return { config, checked };
  // What suits the sink is known only now; it changes nothing of what was checked.
  const size = checked.plan?.output.output?.defaultBatchSize ?? usual;
  const sized = { ...config, batch_size: size };
  if (!checked.plan) return { config: sized, checked };
  const plan = { ...checked.plan, options: { ...checked.plan.options, batchSize: size } };
  return { config: sized, checked: { ...checked, plan } };
}

function withDefaults(config: unknown, defaults: Readonly<Record<string, unknown>>): unknown {
  if (!isMap(config)) return config;
  const written = Object.entries(config).filter(([key, value]) => value !== null || !Object.hasOwn(defaults, key));
  return { ...defaults, ...Object.fromEntries(written) };
}
