import { isatty } from "node:tty";
import { sleep } from "@mqb/core/plugin";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors } from "../errors.ts";
import { EXIT } from "../exit.ts";
import { instancesFolder, listInstances } from "./folder.ts";
import type { InstanceRecord } from "./record.ts";
import { statusTable } from "./table.ts";

const CLEAR = "\x1b[H\x1b[2J";

/** `mqb status`: the running processes of this user, once or again and again until a signal. */
export async function status(args: ParsedArgs, context: CommandContext): Promise<number> {
  const seconds = intervalOf(args);
  const show = (): void => {
    const instances = find(context);
    if (args.has("json")) context.output.result(jsonOf(instances, seconds !== undefined));
    else context.output.result((seconds === undefined ? "" : CLEAR) + statusTable(instances, context.clock.now()));
  };
  show();
  while (seconds !== undefined && !context.stop.aborted) {
    if (await sleep(context.clock, seconds * 1000, context.stop)) show();
  }
  return EXIT.ok;
}

/** One array, over several lines for a person; watching, one line each time for a program. */
function jsonOf(instances: readonly InstanceRecord[], watching: boolean): string {
  return `${watching ? JSON.stringify(instances) : JSON.stringify(instances, null, 2)}\n`;
}

function find({ environment, clock, output }: CommandContext): InstanceRecord[] {
  const folder = instancesFolder(environment);
  if (folder === undefined) throw cliErrors.STATUS_FOLDER({ reason: "neither XDG_RUNTIME_DIR nor TMPDIR is set" });
  let instances: InstanceRecord[];
  try {
    instances = listInstances(folder, clock.now());
  } catch (error) {
    throw cliErrors.STATUS_FOLDER({ reason: (error as Error).message });
  }
  const showErrors = environment["MQB_STATUS_SHOW_ERRORS"] === "1";
  // Whoever wrote a record may show errors that this side did not ask for, and may hide less than it should.
  const shown = (key: string, value: unknown): unknown => {
    if (typeof value !== "string") return value;
    return key === "error" && !showErrors ? "error" : output.redactor.text(value);
  };
  return JSON.parse(JSON.stringify(instances), shown) as InstanceRecord[];
}

/** A terminal is refreshed every second unless it is asked not to be. */
function intervalOf(args: ParsedArgs): number | undefined {
  if (args.has("no-watch")) return undefined;
  const given = args.text("watch");
  if (given !== undefined) {
    const seconds = Number(given);
    if (/^\d+(?:\.\d+)?$/.test(given) && seconds >= 0.1 && seconds <= 86_400) return seconds;
    throw cliErrors.USAGE({ message: `--watch takes seconds from 0.1 to 86400, not "${given}"` });
  }
  return !args.has("json") && isatty(1) ? 1 : undefined;
}
