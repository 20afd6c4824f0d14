import { renderProblem } from "@mqb/config";
import { parseFilter } from "@mqb/config/uri";
import type { Logger } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { commandLogger } from "../log/setup.ts";
import type { ReadConfiguration } from "./sources.ts";
import { prepare, Supervisor } from "./supervise.ts";

/** `mqb run`, and `mqb` alone: runs the routes of a configuration until all have ended or a signal comes. */
export async function run(args: ParsedArgs, context: CommandContext): Promise<number> {
  const schema = args.text("schema");
  if (schema !== undefined) return await (await import("../schema/schema.ts")).writeSchema(schema, args, context);
  if (args.has("dry-run")) return await (await import("../dry-run/dry-run.ts")).dryRun(args, context);
  if (args.has("limit")) throw cliErrors.USAGE({ message: "--limit belongs to --dry-run" });
  const prepared = await prepare(args, context);
  const log = configuredLogger(prepared.read, context);
  announceProblems(prepared.read, args, log);
  return await new Supervisor(prepared, args, context, log).run();
}

/** The logger that a configuration without faults asks for. Throws a `config` error for RUST_LOG. */
export function configuredLogger(read: ReadConfiguration, context: CommandContext): Logger {
  const { logLevel, logger } = read.configuration.settings;
  return commandLogger({ filter: parseFilter(logLevel)!, format: logger }, context);
}

function announceProblems(read: ReadConfiguration, args: ParsedArgs, log: Logger): void {
  // The bridge reports what is to be said about a single route.
  for (const problem of read.configuration.problems) if (problem.level === "warning") log.warn(renderProblem(problem));
  const address = read.configuration.settings.services["ui_addr"];
  if (address !== undefined && !args.has("no-ui")) {
    log.warn(`"ui_addr" is not available yet: nothing is served at ${address}`);
  }
}
