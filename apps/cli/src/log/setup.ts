import { cliErrors } from "../errors.ts";
import { type Level, parseLevel } from "./level.ts";

/** The level to log at: RUST_LOG, else what the command or its configuration says. */
export function logLevel(environment: NodeJS.ProcessEnv, otherwise: Level): Level {
  const wanted = environment["RUST_LOG"];
  if (wanted === undefined || wanted === "") return otherwise;
  const level = parseLevel(wanted);
  if (level === undefined)
    throw cliErrors.BAD_VARIABLE({ name: "RUST_LOG", value: wanted, wanted: "debug, info, warn, error or off" });
  return level;
}
