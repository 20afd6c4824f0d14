import type { Registry } from "@mqb/core";
import type { CheckedConfiguration } from "../check.ts";
import type { Configuration } from "../document/load.ts";
import type { Environment } from "../environment.ts";
import { exactJson } from "../exact.ts";
import { createSchemas } from "../fields/schemas.ts";
import { withoutNulls } from "../uri/canonical.ts";
import { encodeText } from "../uri/encode.ts";
import { toUri } from "../uri/write.ts";
import { SecretVariables, secretPaths } from "./secrets.ts";
import { shellQuoted } from "./shell.ts";

/** A command line that does what a configuration does. */
export interface Command {
  /** Quoted for a POSIX shell; holds no secret. */
  readonly command: string;
  /** The variables that have to be set, in alphabetical order. */
  readonly requiredEnv: readonly string[];
  /** Those of them whose value has to be percent-encoded, since it stands in a URI. */
  readonly encodedEnv: readonly string[];
}

/**
 * `mqb --config-str '…' --no-ui --no-metrics` for a loaded configuration: what its variables gave is written out, and
 * secrets are replaced by variables. Relative plugin paths are to be made absolute before.
 */
export function toCommand(
  configuration: Configuration,
  checked: CheckedConfiguration,
  environment: Environment,
): Command {
  const secrets = new SecretVariables(environment);
  const schemas = createSchemas();
  const hide = (name: string, route: object): Record<string, unknown> => {
    const marked = secretPaths(route, checked.registry, schemas);
    return secrets.hide(route, marked, name, (variable) => `\${${variable}}`) as Record<string, unknown>;
  };
  const { settings } = configuration;
  const routes = configuration.routes.map(({ name, enabled, config }) => {
    const written = checked.routes.find((route) => route.name === name)?.config ?? config;
    const shown = hide(name, written as object);
    return [name, enabled ? shown : { enabled: false, ...shown }];
  });
  const publishers = Object.entries(checked.endpoints).map(([name, endpoint]) => [
    name,
    hide(name, { output: endpoint })["output"],
  ]);
  const document = {
    log_level: settings.logLevel,
    logger: settings.logger,
    ...(settings.plugins.length > 0 ? { plugins: settings.plugins } : {}),
    ...(publishers.length > 0 ? { publishers: Object.fromEntries(publishers) as object } : {}),
    routes: Object.fromEntries(routes) as object,
  };
  const command = `mqb --config-str ${shellQuoted(exactJson(document))} --no-ui --no-metrics`;
  return { command, requiredEnv: [...secrets.values.keys()].sort(), encodedEnv: [] };
}

/** Options of a route that `mqb copy` has no flag for, with the value that it has anyway. */
const FIXED: Readonly<Record<string, unknown>> = {
  commit_concurrency_limit: 4096,
  startup_timeout_ms: 5000,
  reconnect_interval_ms: 5000,
  empty_batch_delay_ms: 10,
  max_in_flight_bytes: 64 * 1024 * 1024,
  allow_fault_injection: false,
};
const FLAGS = ["input", "output", "description", "concurrency", "batch_size", "exit_on_empty"];

/**
 * `mqb copy SOURCE TARGET …` for a configuration with one enabled route, or why there is none: an endpoint without a URI
 * form, or an option that only a configuration can hold.
 */
export function toCopyCommand(
  checked: CheckedConfiguration,
  registry: Registry,
  environment: Environment,
): Command | { readonly refused: string } {
  const [route, second] = checked.routes;
  if (!route?.plan || second) {
    const count = checked.routes.length === 1 ? "a route that cannot start" : `${checked.routes.length} routes`;
    return { refused: `the configuration has ${count}, and a copy is one` };
  }
  const { plan } = route;
  const config = withoutNulls(route.config) as Record<string, unknown>;
  const other = Object.keys(config).find((key) => !FLAGS.includes(key) && config[key] !== FIXED[key]);
  if (other !== undefined) return { refused: `a copy has no flag for "${other}"` };

  const secrets = new SecretVariables(environment);
  const marked = secretPaths(route.config, registry, createSchemas());
  const token = (variable: string): string => `MQBVARIABLE${variable}ENDVARIABLE`;
  const hidden = secrets.hide(route.config, marked, route.name, token) as Record<string, unknown>;
  const uris: string[] = [];
  for (const side of ["input", "output"] as const) {
    const uri = toUri(hidden[side], side, registry);
    if (uri === undefined) return { refused: `the ${side} of "${route.name}" has no URI form` };
    uris.push(uri.replace(/MQBVARIABLE(\w+?)ENDVARIABLE/g, `\${$1}`));
  }
  const words = ["mqb", "copy", ...uris.map(shellQuoted)];
  words.push("--concurrency", String(plan.options.concurrency), "--batch-size", String(plan.options.batchSize));
  if (plan.options.exitOnEmpty) words.push("--drain");
  const encoded = [...secrets.values].filter(([, value]) => encodeText(value) !== value).map(([name]) => name);
  return { command: words.join(" "), requiredEnv: [...secrets.values.keys()].sort(), encodedEnv: encoded.sort() };
}
