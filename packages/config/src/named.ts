import { isMap } from "@mqb/core/plugin";
/** What a configuration names, so that a host imports only the plugins that bring it. May hold names too many. */
export interface Names {
  readonly endpoints: ReadonlySet<string>;
  readonly middlewares: ReadonlySet<string>;
  /** Schemes of endpoint URIs. */
  readonly schemes: ReadonlySet<string>;
  /** Schemes of URLs that may be those of state stores. */
  readonly stores: ReadonlySet<string>;
  /** Something takes an expression. */
  readonly expressions: boolean;
}

/** Keys under which an expression is written. */
const EXPRESSION_KEYS = ["filter", "when", "expression"];
const SCHEME = /^([a-z][a-z0-9+._-]*):/i;
/** Keys under which the place of a state store is written. One without a scheme is a path. */
const STORE_KEYS = ["checkpoint_store", "store"];
/** A scheme has two letters: one is a drive's. */
const STORE_URL = /^[a-z][a-z0-9+._-]+:/i;

/** Names while they are collected. */
export interface MutableNames {
  readonly endpoints: Set<string>;
  readonly middlewares: Set<string>;
  readonly schemes: Set<string>;
  readonly stores: Set<string>;
  expressions: boolean;
}

export function noNames(): MutableNames {
  return { endpoints: new Set(), middlewares: new Set(), schemes: new Set(), stores: new Set(), expressions: false };
}

/** Collects the names in routes as written. Knows no endpoint: what looks like one, anywhere inside, counts. */
export function namesInRoutes(routes: readonly unknown[]): Names {
  const names = noNames();
  for (const route of routes) {
    if (!isMap(route)) continue;
    for (const side of ["input", "output"]) {
      const endpoint = route[side];
      if (isMap(endpoint)) collectNames(endpoint, names);
      else names.endpoints.add("null");
    }
  }
  return names;
}

/** A path where a state store is named stands for `file:`. */
export function collectStorePath(key: string, value: unknown, names: MutableNames): void {
  if (STORE_KEYS.includes(key) && typeof value === "string" && !STORE_URL.test(value)) names.stores.add("file");
}

/** Every map may be an endpoint, and the keys of an endpoint are its type; fields that are called like one do no harm. */
export function collectNames(value: unknown, names: MutableNames): void {
  if (typeof value === "string") {
    const scheme = SCHEME.exec(value)?.[1];
    if (scheme !== undefined) names.stores.add(scheme.toLowerCase());
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) collectNames(item, names);
    return;
  }
  if (!isMap(value)) {
    if (value === null) names.endpoints.add("null");
    return;
  }
  const keys = Object.keys(value).filter((key) => key !== "middlewares");
  if (keys.length === 0) names.endpoints.add("null");
  for (const key of keys) {
    const inner = value[key];
    names.endpoints.add(key);
    if (key === "custom" && isMap(inner) && typeof inner["name"] === "string") names.endpoints.add(inner["name"]);
    if (EXPRESSION_KEYS.includes(key)) names.expressions = true;
    // The plugin of the middleware encrypts files, too.
    if (key === "encryption") names.middlewares.add(key);
    collectStorePath(key, inner, names);
    collectNames(inner, names);
  }
  collectMiddlewares(value["middlewares"], names);
}

function collectMiddlewares(value: unknown, names: MutableNames): void {
  const entries = Array.isArray(value) ? value : isMap(value) ? Object.values(value) : [];
  for (const entry of entries) {
    if (typeof entry === "string") names.middlewares.add(entry);
    if (!isMap(entry)) continue;
    for (const [name, config] of Object.entries(entry)) {
      names.middlewares.add(name);
      if (name === "custom" && isMap(config) && typeof config["name"] === "string")
        names.middlewares.add(config["name"]);
      if (EXPRESSION_KEYS.includes(name)) names.expressions = true;
      collectNames(config, names);
    }
  }
}
