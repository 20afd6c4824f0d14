import type { RoutePlan } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import type { CheckedConfiguration } from "./check.ts";
import type { Configuration } from "./document/load.ts";
import { describePlace } from "./document/origin.ts";
import { nearestPlace, type Path, pathAsWritten } from "./document/place.ts";
import { documentPath, type WrittenRoute } from "./document/routes.ts";
import { type Field, memberOf, membersOf } from "./fields/field.ts";
import { keyOfPath } from "./fields/fit.ts";
import { createSchemas } from "./fields/schemas.ts";
import { type Visited, walkRoute } from "./fields/walk.ts";
import { isSecretName, mayBeSecretName } from "./redact/secret-names.ts";
import { secretText } from "./redact/secret-text.ts";
import { redactUri } from "./redact/uri.ts";

/** One value of a resolved configuration, fit to be shown. */
export interface ShownValue {
  /** From the document's root. */
  readonly path: Path;
  /** A scalar, or an empty list or map; `***` for a secret, and a URL without its password. */
  readonly value: unknown;
  /** `config.yml:12:7`, `config.yml:12:7, from KAFKA_URL`, `MQB__ROUTES__A__BATCH_SIZE`, or `default`. */
  readonly origin: string;
  readonly secret: boolean;
}

const HIDDEN = "***";
const SETTINGS: readonly (readonly [string, unknown])[] = [
  ["log_level", "info"],
  ["logger", "plain"],
];

/**
 * Every value of a configuration with where it comes from: what is written anywhere, in document order, and after the
 * members of a map the defaults of those that are not written. No secret is among them.
 */
export function listValues(configuration: Configuration, checked: CheckedConfiguration): readonly ShownValue[] {
  return new Listing(configuration, checked).list();
}

interface Known {
  readonly value: unknown;
  readonly field?: Field;
  readonly isSecret: boolean;
}

class Listing {
  private readonly configuration: Configuration;
  private readonly values: ShownValue[] = [];
  /** What is known of the values of routes, by their path in the document. */
  private readonly known = new Map<string, Known>();
  /** Options that a route does not write, by the route's path. */
  private readonly options = new Map<string, readonly (readonly [string, unknown])[]>();
  /** Texts that are secret somewhere, and so everywhere. */
  private readonly secrets: Set<string>;
  private readonly routes: ReadonlySet<string>;
  /** Names that are no secret, whatever they came from. */
  private readonly names: ReadonlySet<string>;

  constructor(configuration: Configuration, checked: CheckedConfiguration) {
    this.configuration = configuration;
    this.secrets = new Set(configuration.secrets);
    this.routes = new Set(configuration.routes.map((route) => keyOfPath(route.path)));
    const { registry } = checked;
    const own = [...registry.names("endpoint"), ...registry.names("middleware")];
    this.names = new Set([...own, ...configuration.routes.map(({ name }) => name)]);
    const schemas = createSchemas();
    const learn = (route: WrittenRoute, config: unknown): void =>
      walkRoute(config, checked.registry, schemas, (one) => this.learn(route, one));
    for (const route of configuration.routes) {
      const ready = checked.routes.find((one) => one.name === route.name);
      learn(route, ready?.config ?? route.config);
      if (ready) this.options.set(keyOfPath(route.path), optionsOf(route, ready.plan));
    }
    for (const { name, path, endpoint } of configuration.publishers) {
      const route = { name, path, enabled: true, config: undefined, sides: { output: path } };
      learn(route, { output: checked.endpoints[name] ?? endpoint });
    }
  }

  list(): readonly ShownValue[] {
    const { document } = this.configuration;
    this.walk(document, [], false);
    for (const [key, value] of SETTINGS) {
      if (!isMap(document) || document[key] === undefined) this.add([key], value, "default", false);
    }
    return this.values;
  }

  private learn(route: WrittenRoute, { path, value, field, owner, isSecret: isMarked }: Visited): void {
    // A field that its endpoint does not know is misspelt, and may be the one with the password.
    const isSecret = isMarked || (owner !== undefined && !field);
    const text = isMarked ? secretText(value, String(path.at(-1))) : undefined;
    if (text !== undefined && text.length > 3) this.secrets.add(text);
    const key = keyOfPath(documentPath(route, path));
    const before = this.known.get(key);
    const secret = isSecret || (before?.isSecret ?? false);
    this.known.set(key, { value, ...(field ? { field } : {}), isSecret: secret });
  }

  private walk(written: unknown, path: Path, inherited: boolean): void {
    const known = this.known.get(keyOfPath(path));
    const name = path.at(-1);
    // A route may be called anything.
    const isNamed =
      typeof name === "string" &&
      !this.routes.has(keyOfPath(path)) &&
      (isSecretName(name) || (!known?.field && mayBeSecretName(name)));
    const isSecret = inherited || isNamed || (known?.isSecret ?? false);
    if (isMap(written) || Array.isArray(written)) {
      const entries: [string | number, unknown][] = Array.isArray(written)
        ? written.map((one, index) => [index, one])
        : Object.entries(written);
      for (const [key, value] of entries) this.walk(value, [...path, key], isSecret);
      if (entries.length === 0) this.add(path, written, this.originOf(path), false);
      if (isMap(written)) this.defaults(written, path, known?.field, isSecret);
      return;
    }
    // A text that its field takes for a number is shown as one.
    const value = known && typeof known.value !== "object" ? known.value : written;
    this.add(path, value ?? null, this.originOf(path), isSecret);
  }

  private defaults(written: Record<string, unknown>, path: Path, field: Field | undefined, isSecret: boolean): void {
    for (const [key, value] of this.options.get(keyOfPath(path)) ?? [])
      this.add([...path, key], value, "default", false);
    if (!field) return;
    for (const key of membersOf(field)) {
      if (Object.hasOwn(written, key)) continue;
      const member = memberOf(field, key);
      if (member?.fallback === undefined) continue;
      this.add([...path, key], member.fallback, "default", isSecret || member.isSecret);
    }
  }

  private add(path: Path, value: unknown, origin: string, isSecret: boolean): void {
    const secret = isSecret && value !== null && value !== "";
    const shown = pathAsWritten(this.configuration.place, path, (key) => this.names.has(key));
    this.values.push({ path: shown, value: secret ? HIDDEN : this.shown(value), origin, secret });
  }

  private shown(value: unknown): unknown {
    if (typeof value !== "string") return value;
    let text = redactUri(value);
    for (const secret of this.secrets) text = text.replaceAll(secret, HIDDEN);
    return text;
  }

  private originOf(path: Path): string {
    const { place, found } = nearestPlace(this.configuration.place, path);
    return found ? describePlace(place) : "default";
  }
}

/** The options that the host and core give to a route which does not write them. */
function optionsOf(route: WrittenRoute, plan: RoutePlan | undefined): readonly (readonly [string, unknown])[] {
  if (!plan || !isMap(route.config)) return [];
  const written = route.config;
  const { options } = plan;
  const all: readonly (readonly [string, unknown])[] = [
    ["concurrency", options.concurrency],
    ["batch_size", options.batchSize],
    ["commit_concurrency_limit", options.commitConcurrencyLimit],
    ["startup_timeout_ms", options.startupTimeoutMs],
    ["reconnect_interval_ms", options.reconnectIntervalMs],
    ["empty_batch_delay_ms", options.emptyBatchDelayMs],
    ["max_in_flight_bytes", options.maxInFlightBytes],
    ["exit_on_empty", options.exitOnEmpty],
    ["allow_fault_injection", options.allowFaultInjection],
  ];
  return all.filter(([key]) => (written[key] ?? null) === null);
}
