import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Configuration, loadConfiguration, readSource, type SourceText, type SourceValue } from "@mqb/config";
import type { ParsedArgs } from "../args/parse.ts";
import { cliErrors } from "../errors.ts";
import { CONFIG_MODULES, isModule, readConfigModule } from "./config-module.ts";

const DEFAULT_FILE = "config.yml";

/** A configuration with what it was read from. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  /** The folder from which plugins are found: the file's, else the working directory. */
  readonly folder: string;
  /** How messages call the whole of it. */
  readonly name: string;
  /** Absolute paths of the files that make a difference, whether they exist or not. */
  readonly files: readonly string[];
}

/**
 * Reads the configuration that the flags or their variables ask for: a file, or while it does not exist what stands in for
 * it, and a text over it. A file that was asked for must be there, unless there is something else; without one, `config.yml`
 * or else `mqb.config.ts` or `.js` is read when it is there. Throws a `config` error when a file cannot be read.
 */
export async function readConfiguration(
  args: ParsedArgs,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<ReadConfiguration> {
  if (args.text("config") === "") throw cliErrors.USAGE({ message: "--config is empty: it takes the name of a file" });
  const asked = args.text("config") ?? nonEmpty(environment["CONFIG_FILE"]);
  const over = textOf(args, "config-str", environment, "CONFIG_STRING");
  const file = asked ?? [DEFAULT_FILE, ...CONFIG_MODULES].find((one) => existsSync(resolve(cwd, one))) ?? DEFAULT_FILE;
  const sources: (SourceText | SourceValue)[] = [];
  let folder = cwd;
  if (existsSync(resolve(cwd, file))) {
    sources.push(await readFile(file, cwd));
    folder = dirname(resolve(cwd, file));
  } else {
    const initial = args.text("init-config") ?? nonEmpty(environment["INIT_CONFIG_FILE"]);
    const initialText = textOf(args, "init-config-str", environment, "INIT_CONFIG_STRING");
    if (initial !== undefined) {
      sources.push(await readFile(initial, cwd));
      folder = dirname(resolve(cwd, initial));
    } else if (initialText) sources.push(initialText);
    // Reading what is not there says so.
    else if (asked !== undefined && !over) sources.push(await readFile(asked, cwd));
  }
  if (over) sources.push(over);
  const name = sources[0]?.name ?? "the configuration";
  return { configuration: loadConfiguration(sources, environment), folder, name, files: [resolve(cwd, file)] };
}

async function readFile(file: string, cwd: string): Promise<SourceText | SourceValue> {
  if (isModule(file) && existsSync(resolve(cwd, file))) return await readConfigModule(resolve(cwd, file), file);
  return { ...(await readSource(resolve(cwd, file))), name: file };
}

/** A configuration given as a text, called by what it was given with. */
function textOf(
  args: ParsedArgs,
  flag: string,
  environment: NodeJS.ProcessEnv,
  variable: string,
): SourceText | undefined {
  const given = args.text(flag);
  const text = given ?? nonEmpty(environment[variable]);
  return text === undefined ? undefined : { name: given === undefined ? variable : `--${flag}`, text, format: "yaml" };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
