import { type Problem, suggest } from "@mqb/core";
import type { Path } from "./place.ts";

/** What a document says besides its routes. */
export interface AppSettings {
  /** A level, or a filter list such as `info,kafka=debug`. */
  readonly logLevel: string;
  readonly logger: "plain" | "json";
  /** Packages or paths, as written. */
  readonly plugins: readonly string[];
  /** Keys that ask for a service which only other hosts offer, with what they ask for, e.g. `ui_addr`. */
  readonly services: Readonly<Record<string, string>>;
}

/** A route as written. */
export interface WrittenRoute {
  readonly name: string;
  /** Where it stands in the document: `["routes", "orders"]`, or empty for a bare route. */
  readonly path: Path;
  readonly enabled: boolean;
  /** The route without the keys that belong to the application. */
  readonly config: unknown;
}

export interface AppDocument {
  readonly settings: AppSettings;
  readonly routes: readonly WrittenRoute[];
  readonly problems: readonly Problem[];
}

const APP_KEYS = [
  "log_level",
  "logger",
  "ui_addr",
  "metrics_addr",
  "plugins",
  "routes",
  "consumers",
  "publishers",
  "history",
  "env_vars",
  "envVars",
  "config_security",
  "extract_secrets",
  "default_tab",
];
const BARE_ROUTE = "route";

/**
 * Takes a whole document apart: the application's keys, and routes in any of their three spellings: under `routes`, as
 * maps at the top level, or one route that is the top level. Pure; every fault is a problem with its path.
 */
export function readApp(document: unknown): AppDocument {
  const problems: Problem[] = [];
  if (document === null || document === undefined)
    return { settings: readSettings({}, problems), routes: [], problems };
  if (!isMap(document)) {
    problems.push(error("MQB_CONFIG_TYPE", [], "a configuration is a map, e.g. with `routes:`"));
    return { settings: readSettings({}, problems), routes: [], problems };
  }
  const { root, at } = unwrap(document, problems);
  const settings = readSettings(root, problems, at);
  const routes = readRoutes(root, at, problems);
  refuseConsumers(root, at, problems);
  return { settings, routes, problems };
}

/** An exported document has everything under one `config` key. */
function unwrap(document: Record<string, unknown>, problems: Problem[]): { root: Record<string, unknown>; at: Path } {
  if (!Object.hasOwn(document, "config")) return { root: document, at: [] };
  const inner = document["config"];
  if (Object.keys(document).length === 1 && isMap(inner)) return { root: inner, at: ["config"] };
  const message = `"config" at the top level is ambiguous`;
  problems.push(
    error(
      "MQB_CONFIG_AMBIGUOUS",
      ["config"],
      message,
      `write it alone, around the whole document; no route can be called "config"`,
    ),
  );
  const { config: _, ...root } = document;
  return { root, at: [] };
}

function readSettings(root: Record<string, unknown>, problems: Problem[], at: Path = []): AppSettings {
  const text = (key: string): string => {
    const value = root[key];
    if (value === undefined || value === null) return "";
    if (typeof value === "string") return value;
    problems.push(error("MQB_CONFIG_TYPE", [...at, key], `"${key}" takes a text`));
    return "";
  };
  const logger = text("logger") || "plain";
  if (logger !== "plain" && logger !== "json") {
    problems.push(error("MQB_CONFIG_VALUE", [...at, "logger"], `"logger" is plain or json, not "${logger}"`));
  }
  const services: Record<string, string> = {};
  for (const key of ["ui_addr", "metrics_addr"]) {
    const address = text(key);
    if (address !== "") services[key] = address;
  }
  return {
    logLevel: text("log_level") || "info",
    logger: logger === "json" ? "json" : "plain",
    plugins: readPlugins(root["plugins"], [...at, "plugins"], problems),
    services,
  };
}

function readPlugins(value: unknown, at: Path, problems: Problem[]): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push(error("MQB_CONFIG_TYPE", at, `"plugins" is a list of packages or paths`));
    return [];
  }
  return value.filter((one, index): one is string => {
    if (typeof one === "string" && one !== "") return true;
    problems.push(error("MQB_CONFIG_TYPE", [...at, index], "a plugin is a package name or a path"));
    return false;
  });
}

function readRoutes(root: Record<string, unknown>, at: Path, problems: Problem[]): WrittenRoute[] {
  const routes: WrittenRoute[] = [];
  const add = (name: string, path: Path, value: unknown): void => {
    if (routes.some((route) => route.name === name)) {
      problems.push(error("MQB_CONFIG_DUPLICATE_ROUTE", path, `there are two routes called "${name}"`));
    } else routes.push(readRoute(name, path, value, problems));
  };

  const listed = root["routes"];
  if (isMap(listed)) for (const [name, value] of Object.entries(listed)) add(name, [...at, "routes", name], value);
  else if (listed !== undefined && listed !== null) {
    problems.push(error("MQB_CONFIG_TYPE", [...at, "routes"], `"routes" is a map of routes by name`));
  }
  const others = Object.entries(root).filter(([key]) => !APP_KEYS.includes(key));
  if (isRoute(root)) {
    add(BARE_ROUTE, at, Object.fromEntries(others));
    return routes;
  }
  for (const [key, value] of others) {
    if (isMap(value) && isRoute(value)) add(key, [...at, key], value);
    // What begins with x- is there for anchors.
    else if (!key.startsWith("x-")) {
      problems.push({
        level: "warning",
        code: "MQB_CONFIG_UNKNOWN_KEY",
        path: [...at, key],
        message: `unknown top-level key "${key}": it is neither a setting nor a route`,
        hint: suggest(key, [...APP_KEYS, "input", "output"]),
      });
    }
  }
  return routes;
}

function readRoute(name: string, path: Path, value: unknown, problems: Problem[]): WrittenRoute {
  if (!isMap(value)) return { name, path, enabled: true, config: value };
  const { enabled = true, ...config } = value;
  if (typeof enabled !== "boolean" && enabled !== null) {
    problems.push(error("MQB_CONFIG_TYPE", [...path, "enabled"], `"enabled" is true or false`));
  }
  return { name, path, enabled: enabled !== false, config };
}

/** Consumers carry messages; leaving them out without a word would lose a route. */
function refuseConsumers(root: Record<string, unknown>, at: Path, problems: Problem[]): void {
  const consumers = root["consumers"];
  if (consumers === undefined || consumers === null || (Array.isArray(consumers) && consumers.length === 0)) return;
  const message = `"consumers" are not available yet`;
  problems.push(
    error("MQB_CONFIG_NOT_AVAILABLE", [...at, "consumers"], message, "write each as a route under `routes`"),
  );
}

function isRoute(value: Record<string, unknown>): boolean {
  return Object.hasOwn(value, "input") || Object.hasOwn(value, "output");
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function error(code: string, path: Path, message: string, hint?: string): Problem {
  return { level: "error", code, path, message, ...(hint === undefined ? {} : { hint }) };
}
