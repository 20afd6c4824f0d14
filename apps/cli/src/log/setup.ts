import { LEVELS, type Level, type LogFilter, levelOf, parseFilter } from "@mqb/config/uri";
import type { Logger } from "@mqb/core/plugin";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { createLogger } from "./logger.ts";

export interface CommandLog {
  /** What the command or its configuration asks for; RUST_LOG goes before it. */
  readonly filter: LogFilter;
  readonly format: "plain" | "json";
  /** Rows go to standard output, so no log may, whatever MQB_LOG_STDOUT says. */
  readonly rowsOnStdout?: boolean;
}

/** The logger of a command: to standard error, or to standard output with MQB_LOG_STDOUT=1. Throws a `config` error. */
export function commandLogger(log: CommandLog, { output, environment, clock }: CommandContext): Logger {
  const toStdout = environment["MQB_LOG_STDOUT"] === "1" && log.rowsOnStdout !== true;
  const filter = wantedFilter(environment, log.filter);
  if (levelOf(filter) === "debug") output.showStacks();
  return createLogger({
    filter,
    format: log.format,
    color: output.color && !toStdout,
    redactor: output.redactor,
    write: toStdout ? output.result : output.notice,
    now: () => clock.now(),
  });
}

/** RUST_LOG, else what the command or its configuration says. */
export function wantedFilter(environment: NodeJS.ProcessEnv, otherwise: LogFilter): LogFilter {
  const wanted = environment["RUST_LOG"];
  if (wanted === undefined || wanted === "") return otherwise;
  const filter = parseFilter(wanted);
  if (filter) return filter;
  throw cliErrors.BAD_VARIABLE({
    name: "RUST_LOG",
    value: wanted,
    wanted: `${LEVELS.join(", ")}, or info,kafka=debug`,
  });
}

export function everyModule(level: Level): LogFilter {
  return { level, modules: new Map() };
}
