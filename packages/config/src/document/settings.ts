import { nearest, type Problem } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { parseAddress } from "../address.ts";
import { LEVELS, parseFilter } from "../log-filter.ts";
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

/** The keys of the top level that are no routes. */
export const APP_KEYS: readonly string[] = [
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
  "encrypted_config",
  "extract_secrets",
  "default_tab",
];

export const SECURITY_MODES: readonly string[] = [
  "unencrypted",
  "balanced",
  "env_temporary_messages",
  "temporary_messages",
  "sensitive",
  "durable",
];

/** Keys that mean something to the web UI or to a program that saves configurations, and why nothing comes of them here. */
const INERT: Readonly<Record<string, string>> = {
  history: "it belongs to the web UI",
  default_tab: "it belongs to the web UI",
  extract_secrets: "mqb never writes a configuration back",
  config_security: "mqb never writes a configuration back",
};

export function readSettings(root: Record<string, unknown>, at: Path, problems: Problem[]): AppSettings {
  const text = (key: string): string => {
    const value = root[key];
    if (value === undefined || value === null) return "";
    if (typeof value === "string") return value;
    problems.push(wrong("MQB_CONFIG_TYPE", [...at, key], `"${key}" takes a text`, "put it in quotes"));
    return "";
  };
  const logger = text("logger") || "plain";
  if (logger !== "plain" && logger !== "json") {
    const near = nearest(logger, ["plain", "json"]);
    const hint = near === undefined ? undefined : `did you mean "${near}"?`;
    problems.push(wrong("MQB_CONFIG_VALUE", [...at, "logger"], `"logger" is plain or json, not "${logger}"`, hint));
  }
  const logLevel = text("log_level") || "info";
  if (!parseFilter(logLevel)) {
    const message = `"log_level" takes ${LEVELS.join(", ")}, or a list such as info,kafka=debug, not "${logLevel}"`;
    const near = nearest(logLevel, LEVELS);
    problems.push(wrong("MQB_CONFIG_VALUE", [...at, "log_level"], message, near && `did you mean "${near}"?`));
  }
  const services: Record<string, string> = {};
  for (const key of ["ui_addr", "metrics_addr"]) {
    const address = text(key);
    if (address !== "") services[key] = address;
  }
  const { metrics_addr: metrics } = services;
  if (metrics !== undefined && !parseAddress(metrics)) {
    const message = `"metrics_addr" takes host:port, not "${metrics}"`;
    problems.push(wrong("MQB_CONFIG_VALUE", [...at, "metrics_addr"], message, "e.g. 127.0.0.1:9090"));
  }
  checkEnvVars(root, at, problems);
  checkSecurity(root, at, problems);
  for (const [key, why] of Object.entries(INERT)) {
    const value = root[key];
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    if (value === undefined || value === null || value === "" || isEmpty) continue;
    problems.push({
      level: "note",
      code: "MQB_CONFIG_INERT",
      path: [...at, key],
      message: `"${key}" has no effect: ${why}`,
    });
  }
  return {
    logLevel,
    logger: logger === "json" ? "json" : "plain",
    plugins: readPlugins(root["plugins"], [...at, "plugins"], problems),
    services,
  };
}

function readPlugins(value: unknown, at: Path, problems: Problem[]): string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push(wrong("MQB_CONFIG_TYPE", at, `"plugins" is a list of packages or paths`, "write each as `- name`"));
    return [];
  }
  return value.filter((one, index): one is string => {
    if (typeof one === "string" && one !== "") return true;
    problems.push(wrong("MQB_CONFIG_TYPE", [...at, index], "a plugin is a package name or a path"));
    return false;
  });
}

function checkEnvVars(root: Record<string, unknown>, at: Path, problems: Problem[]): void {
  for (const key of ["env_vars", "envVars"]) {
    const vars = root[key];
    if (vars === undefined || vars === null) continue;
    if (!isMap(vars)) {
      problems.push(wrong("MQB_CONFIG_TYPE", [...at, key], `"${key}" is a map of variables by name`));
      continue;
    }
    for (const [name, value] of Object.entries(vars)) {
      if (typeof value === "object" && value !== null)
        problems.push(wrong("MQB_CONFIG_TYPE", [...at, key, name], "the value of a variable is a text"));
    }
  }
}

function checkSecurity(root: Record<string, unknown>, at: Path, problems: Problem[]): void {
  const security = root["config_security"];
  const mode = isMap(security) ? (security["mode"] ?? undefined) : undefined;
  const place = [...at, "config_security"];
  if (security !== undefined && security !== null && !isMap(security)) {
    problems.push(wrong("MQB_CONFIG_TYPE", place, `"config_security" is a map with "mode"`));
  } else if (mode !== undefined && !SECURITY_MODES.includes(mode as string)) {
    const near = typeof mode === "string" ? nearest(mode, SECURITY_MODES) : undefined;
    const message = `"mode" of "config_security" takes ${SECURITY_MODES.join(", ")}`;
    const hint = near === undefined ? undefined : `did you mean "${near}"?`;
    problems.push(wrong("MQB_CONFIG_VALUE", [...place, "mode"], message, hint));
  }
  const encrypted = root["encrypted_config"];
  if (encrypted === undefined || encrypted === null) return;
  const shown = typeof mode === "string" && SECURITY_MODES.includes(mode) ? ` (config_security.mode is ${mode})` : "";
  problems.push(
    wrong(
      "MQB_CONFIG_ENCRYPTED",
      [...at, "encrypted_config"],
      `this configuration is encrypted${shown}, and mqb reads only what is not`,
      "open it in mq-bridge-app, set config_security.mode to unencrypted or balanced, save it, and give mqb that file",
    ),
  );
}

function wrong(code: string, path: Path, message: string, hint?: string): Problem {
  return { level: "error", code, path, message, ...(hint === undefined ? {} : { hint }) };
}
