import { typeName } from "../config/value-type.ts";
import type { EndpointDefinition, MiddlewareDefinition } from "../contract/definition.ts";
import type { ExpressionCompiler } from "../contract/expression.ts";
import { type FindService, PLUGIN_BRAND, type Plugin, type StoreDefinition } from "../contract/plugin.ts";
import type { SchemeDefinition } from "../contract/uri.ts";
import { coreErrors } from "../errors/errors.ts";
import { checkApiVersion } from "./manifest.ts";

/** What can be missing, for the hint that names a package to install. */
export type Missing = "endpoint" | "middleware" | "store" | "scheme";

export interface RegistryOptions {
  /** The package that would bring a name, e.g. `@mqb/kafka`; undefined when nobody knows. */
  readonly packageFor?: (what: Missing, name: string) => string | undefined;
}

/** One registered thing, with its canonical name and its plugin's. */
export interface Registered<D> {
  readonly name: string;
  readonly plugin: string;
  readonly definition: D;
}

/** The endpoints, middlewares, stores and URI schemes that a bridge knows. A value: made from a list, never changed. */
export interface Registry {
  readonly plugins: readonly Plugin[];
  /** By name or alias. */
  endpoint(name: string): Registered<EndpointDefinition> | undefined;
  middleware(name: string): Registered<MiddlewareDefinition> | undefined;
  store(scheme: string): Registered<StoreDefinition> | undefined;
  scheme(name: string): Registered<SchemeDefinition> | undefined;
  readonly expressions: ExpressionCompiler | undefined;
  readonly service: FindService;
  /** Canonical names in alphabetical order. */
  names(what: Missing): readonly string[];
  packageFor(what: Missing, name: string): string | undefined;
}

/** Keys that mean something else where an endpoint or a middleware is written. */
const RESERVED = ["middlewares", "custom"];

/**
 * A registry of plugins. Each registers all of its names or none. Throws `config` errors: not a plugin, an API version
 * that core does not take, a name that two plugins offer.
 */
export function createRegistry(plugins: readonly unknown[], options: RegistryOptions = {}): Registry {
  const tables = {
    endpoint: new Map<string, Registered<EndpointDefinition>>(),
    middleware: new Map<string, Registered<MiddlewareDefinition>>(),
    store: new Map<string, Registered<StoreDefinition>>(),
    scheme: new Map<string, Registered<SchemeDefinition>>(),
    service: new Map<string, Registered<object>>(),
    language: new Map<string, Registered<object>>(),
  };
  const registered: Plugin[] = [];
  for (const value of plugins) {
    const plugin = asPlugin(value);
    if (registered.includes(plugin)) continue;
    enter(tables.endpoint, "endpoint", plugin, plugin.endpoints);
    enter(tables.middleware, "middleware", plugin, plugin.middlewares);
    enter(tables.store, "state store", plugin, plugin.stores);
    enter(tables.scheme, "URI scheme", plugin, plugin.schemes);
    // Of these only the names are of interest: the rest of a service is its own.
    const services = Object.keys(plugin.services ?? {}).map((name) => [name, {}] as const);
    enter(tables.service, "service", plugin, Object.fromEntries(services));
    enter(tables.language, "language", plugin, plugin.expressions && { expressions: {} });
    registered.push(plugin);
  }
  const service: FindService = (name) => registered.find((plugin) => plugin.services?.[name])?.services?.[name];
  return Object.freeze({
    plugins: registered,
    endpoint: (name: string) => tables.endpoint.get(name),
    middleware: (name: string) => tables.middleware.get(name),
    store: (scheme: string) => tables.store.get(scheme),
    scheme: (name: string) => tables.scheme.get(name),
    expressions: registered.find((plugin) => plugin.expressions)?.expressions,
    service,
    names: (what: Missing) => [...new Set([...tables[what].values()].map((entry) => entry.name))].sort(),
    packageFor: (what: Missing, name: string) => options.packageFor?.(what, name),
  });
}

export function isPlugin(value: unknown): value is Plugin {
  return typeof value === "object" && value !== null && (value as { [PLUGIN_BRAND]?: unknown })[PLUGIN_BRAND] === true;
}

function asPlugin(value: unknown): Plugin {
  const plugin = isPlugin(value) ? value : (value as { default?: unknown } | null)?.default;
  if (!isPlugin(plugin)) throw coreErrors.NOT_A_PLUGIN({ what: nameOf(value) });
  checkApiVersion(plugin.name, plugin.apiVersion);
  return plugin;
}

type Entries<D> = Readonly<Record<string, D & Named>>;
type Named = Pick<EndpointDefinition, "aliases" | "shared">;

function enter<D extends object>(
  table: Map<string, Registered<D>>,
  what: string,
  plugin: Plugin,
  entries: Entries<D> = {},
): void {
  for (const [name, definition] of Object.entries(entries)) {
    const entry = { name, plugin: plugin.name, definition };
    for (const key of [name, ...(definition.aliases ?? [])]) {
      if (RESERVED.includes(key))
        throw coreErrors.BAD_PLUGIN({ plugin: plugin.name, reason: `"${key}" cannot be the name of its ${what}` });
      const other = table.get(key);
      const sharing = definition.shared && (other?.definition as Named | undefined)?.shared;
      if (other && !sharing)
        throw coreErrors.DUPLICATE_NAME({ what, name: key, first: other.plugin, second: plugin.name });
      if (!other) table.set(key, entry);
    }
  }
}

function nameOf(value: unknown): string {
  const name = (value as { name?: unknown } | null | undefined)?.name;
  return typeof name === "string" && name !== "" ? `"${name}"` : typeName(value);
}
