import { resolve } from "node:path";
import { type Command, type Configuration, renderProblem, toCommand, toCopyCommand } from "@mqb/config";
import type { ParsedArgs } from "../args/parse.ts";
import { type CheckedRun, isMissingPlugin, loadChecked } from "../check/load.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";

/** `mqb to-cli`: the command on standard output, the variables that it needs on standard error. */
export async function toCli(args: ParsedArgs, context: CommandContext): Promise<number> {
  const loaded = await loadChecked(args, context);
  refuseFaults(loaded);
  const { command, requiredEnv, encodedEnv } = args.has("copy")
    ? copyCommand(loaded, context)
    : toCommand(withWholePaths(loaded), loaded.checked, context.environment);
  const { output } = context;
  if (args.has("json")) {
    const document = { command, required_env: requiredEnv, encoded_env: encodedEnv };
    output.result(`${JSON.stringify(document, undefined, 2)}\n`);
    return EXIT.ok;
  }
  output.result(`${command}\n`);
  if (requiredEnv.length > 0) output.notice(`Required environment variables: ${requiredEnv.join(", ")}\n`);
  if (encodedEnv.length > 0) output.notice(`Percent-encoded, since they stand in a URI: ${encodedEnv.join(", ")}\n`);
  return EXIT.ok;
}

function copyCommand({ checked, registry }: CheckedRun, { environment }: CommandContext): Command {
  const command = toCopyCommand(checked, registry, environment);
  if ("refused" in command) throw cliErrors.NO_COPY({ reason: command.refused });
  return command;
}

/** A part that names a plugin which is not here can be written all the same. */
function refuseFaults({ read, problems }: CheckedRun): void {
  const errors = problems.filter((problem) => problem.level === "error" && !isMissingPlugin(problem));
  if (errors.length === 0) return;
  throw cliErrors.CONFIG_INVALID({ source: read.name, problems: errors.map((problem) => renderProblem(problem)) });
}

/** Paths of plugins are relative to the file, which the command does not have. */
function withWholePaths({ read }: CheckedRun): Configuration {
  const { configuration, folder } = read;
  const plugins = configuration.settings.plugins.map((one) => (/^\.{1,2}[/\\]/.test(one) ? resolve(folder, one) : one));
  return { ...configuration, settings: { ...configuration.settings, plugins } };
}
