import { defineErrors, errorRow } from "@mqb/core/plugin";

/** The words of the system without the call and its path, which the message around them names itself. */
export function systemReason(error: unknown): string {
  return (error as Error).message.replace(/, \w+ '.*'$/s, "");
}

/** Every error of the command itself. */
export const cliErrors = defineErrors("MQB_CLI", {
  /** The arguments are wrong: exit code 2. */
  USAGE: errorRow<{ message: string; hint?: string }>({
    kind: "config",
    message: (p) => p.message,
    hint: (p) => p.hint ?? "see mqb --help",
  }),
  COPY_ARGUMENTS: errorRow<{ message: string }>({
    kind: "config",
    message: (p) => p.message,
    hint: "mqb copy SOURCE TARGET, or mqb copy --from SOURCE --to TARGET",
  }),
  COPY_ROUTE: errorRow<{ problems: readonly string[] }>({
    kind: "config",
    message: (p) => `the copy cannot start: ${p.problems.join("\n  ")}`,
  }),
  FILTER_MISSING: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "--filter needs the expression language, which is not installed",
    hint: "install @mqb/expression",
  }),
  FILTER_INVALID: errorRow<{ expression: string }>({
    kind: "config",
    message: (p) => `invalid filter expression "${p.expression}"`,
  }),
  COPY_DROPPED: errorRow<{ rows: string; causes: string; delivered: number }>({
    kind: "permanent",
    message: (p) => `copy did not deliver every row it read (${p.rows}): ${p.causes}`,
    hint: (p) =>
      p.delivered === 0
        ? "no row arrived: does the target take what the source gives? |dlq?endpoint=file:dead.jsonl at the target keeps what it refuses"
        : "|dlq?endpoint=file:dead.jsonl at the target keeps what it refuses",
  }),
  RESUME_FILE: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "source `file` does not support resumable copy",
    hint: "leave --resume out and use mode=group_subscribe&group_id=…, which keeps its own position",
  }),
  RESUME_UNSUPPORTED: errorRow<{ source: string }>({
    kind: "config",
    message: (p) => `source \`${p.source}\` does not support resumable copy`,
  }),
  NO_RESUME_UNSUPPORTED: errorRow<{ field: string }>({
    kind: "config",
    message: (p) => `--no-resume is not available yet for a source with \`${p.field}\``,
    hint: (p) => `leave \`${p.field}\` out of the URI`,
  }),
  CONFIG_INVALID: errorRow<{ source: string; problems: readonly string[] }>({
    kind: "config",
    message: (p) =>
      `${p.source} is not valid, nothing was started (${p.problems.length} problem${p.problems.length === 1 ? "" : "s"})\n${p.problems.map((one) => `  ${one}`).join("\n")}`,
  }),
  NO_ROUTE: errorRow<{ route: string; source: string; hint: string }>({
    kind: "config",
    message: (p) => `${p.source} has no route "${p.route}" that runs`,
    hint: (p) => p.hint,
  }),
  METRICS_ADDRESS: errorRow<{ address: string; reason: string }>({
    kind: "config",
    message: (p) => `metrics cannot be served: ${p.address} ${p.reason}`,
    hint: "choose another address, or --no-metrics",
  }),
  DRY_RUN_SOURCE: errorRow<{ route: string; source: string }>({
    kind: "config",
    message: (p) =>
      `route ${p.route}: a message taken from \`${p.source}\` cannot be given back, so it cannot be read on trial`,
    hint: "--dry-run works for sources that are read again, or that take back what was not acknowledged",
  }),
  CONFIG_MODULE: errorRow<{ path: string; reason: string }>({
    kind: "config",
    message: (p) => `cannot take a configuration from ${p.path}: ${p.reason}`,
    hint: "export default defineConfig({ routes: { … } }), with defineConfig from @mqb/core",
  }),
  NO_CHECKPOINT: errorRow<{ source: string; of: string }>({
    kind: "config",
    message: (p) => `${p.of} keeps no position that could be shown or set: its source is \`${p.source}\``,
    hint: "a file keeps one with mode: group_subscribe, a table with cursor_column",
  }),
  NO_SUCH_ROUTE: errorRow<{ route: string; known: readonly string[] }>({
    kind: "config",
    message: (p) => `the configuration has no route "${p.route}"`,
    hint: (p) => (p.known.length === 0 ? "it has no routes" : `it has ${p.known.join(", ")}`),
  }),
  CHECKPOINT_IN_USE: errorRow<{ route: string; pid: number }>({
    kind: "config",
    message: (p) => `route ${p.route} is running in process ${p.pid}, which would write over the position`,
    hint: "stop it first, or use --force",
  }),
  STATUS_FOLDER: errorRow<{ reason: string }>({
    kind: "permanent",
    message: (p) => `the records of running processes are not read: ${p.reason}`,
    hint: "XDG_RUNTIME_DIR, or TMPDIR, has to be a folder of your own",
  }),
  RELOAD_ROUTE: errorRow<{ route: string; problems: readonly { readonly message: string }[] }>({
    kind: "config",
    message: (p) => `route ${p.route}: ${p.problems.map((problem) => problem.message).join("; ")}`,
  }),
  RELOAD_GONE: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `${p.path} is not there any more`,
  }),
  RELOAD_EMPTY: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "it has no routes any more",
    hint: "to stop a route and keep the process, set enabled: false",
  }),
  RELOAD_ENDPOINTS: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "the endpoints that routes refer to by name have changed",
    hint: "restart mqb to take them up",
  }),
  NONE_STARTED: errorRow<{ count: number; reasons: readonly string[] }>({
    kind: "config",
    message: (p) =>
      `${p.count === 1 ? "the only enabled route could not" : `none of the ${p.count} enabled routes could`} be started\n${p.reasons.map((one) => `  ${one}`).join("\n")}`,
  }),
  ROUTES_FAILED: errorRow<{ reasons: readonly string[] }>({
    kind: "permanent",
    message: (p) => `not every route ended well\n${p.reasons.map((one) => `  ${one}`).join("\n")}`,
  }),
  PLUGIN_MISSING: errorRow<{ plugin: string; from: string }>({
    kind: "config",
    message: (p) => `the plugin ${p.plugin} is not installed: it was looked for from ${p.from}`,
    hint: (p) => (/^[./\\]|^file:/.test(p.plugin) ? "check the path" : `install ${p.plugin}`),
  }),
  PLUGIN_UNKNOWN: errorRow<{ name: string; hint: string; install: boolean }>({
    kind: "config",
    message: (p) =>
      p.install ? `the plugin that brings "${p.name}" is not installed` : `no plugin brings "${p.name}"`,
    hint: (p) => p.hint,
  }),
  PLUGIN_SCHEMA: errorRow<{ plugin: string; path: string }>({
    kind: "config",
    message: (p) => `the plugin ${p.plugin} has no readable schema at ${p.path}`,
    hint: "this is a fault of the plugin, or of its installation",
  }),
  INIT_EXISTS: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `${p.path} is there already, and is left as it is`,
    hint: "write to another file with --out, or over this one with --force",
  }),
  INIT_INVALID: errorRow<{ problems: readonly string[] }>({
    kind: "config",
    message: (p) => `that makes no route:\n${p.problems.map((one) => `  ${one}`).join("\n")}`,
  }),
  NO_FOLDER: errorRow<Record<string, never>>({
    kind: "config",
    message: () => "the working directory is gone: somebody has removed it",
    hint: "change to a folder that exists",
  }),
  CANNOT_WRITE: errorRow<{ path: string; reason: string }>({
    kind: "config",
    message: (p) => `${p.path} cannot be written: ${p.reason}`,
  }),
  NO_COPY: errorRow<{ reason: string }>({
    kind: "config",
    message: (p) => `there is no \`mqb copy\` for this configuration: ${p.reason}`,
    hint: "leave --copy out: `mqb --config-str` takes any configuration",
  }),
  PLUGIN_NATIVE: errorRow<{ plugin: string }>({
    kind: "config",
    message: (p) => `the plugin ${p.plugin} is a native library of mq-bridge, which mqb cannot load`,
    hint: "name an npm package instead, or a path to a module",
  }),
  PLUGIN_LOAD: errorRow<{ plugin: string }>({
    kind: "config",
    message: (p) => `the plugin ${p.plugin} could not be loaded`,
  }),
  PLUGIN_MANIFEST: errorRow<{ plugin: string; what: string; name: string }>({
    kind: "config",
    message: (p) =>
      `the plugin ${p.plugin} says in its package.json that it brings the ${p.what} "${p.name}", but it does not`,
    hint: "this is a fault of the plugin",
  }),
  BAD_VARIABLE: errorRow<{ name: string; value: string; wanted: string }>({
    kind: "config",
    message: (p) => `the variable ${p.name} is "${p.value}"; it takes ${p.wanted}`,
  }),
});
