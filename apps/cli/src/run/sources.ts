import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Configuration, loadConfiguration, readSource, type SourceText } from "@mqb/config";
import type { ParsedArgs } from "../args/parse.ts";

const DEFAULT_FILE = "config.yml";

/** A configuration with what it was read from. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  /** The folder from which plugins are found: the file's, else the working directory. */
  readonly folder: string;
  /** How messages call the whole of it. */
  readonly name: string;
}

/**
 * Reads the configuration that the flags or their variables ask for: a file, and a text over it. A file that was asked
 * for must be there, unless there is a text; `config.yml` is read when it is there. Throws a `config` error.
 */
export async function readConfiguration(
  args: ParsedArgs,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<ReadConfiguration> {
  const asked = args.text("config") ?? nonEmpty(environment["CONFIG_FILE"]);
  const text = args.text("config-str") ?? nonEmpty(environment["CONFIG_STRING"]);
  const file = asked ?? DEFAULT_FILE;
  const path = resolve(cwd, file);
  const sources: SourceText[] = [];
  if (existsSync(path) || (asked !== undefined && text === undefined)) {
    const source = await readSource(path);
    sources.push({ ...source, name: file });
  }
  const folder = sources.length > 0 ? dirname(path) : cwd;
  const name = sources[0]?.name ?? (text === undefined ? "the configuration" : "--config-str");
  if (text !== undefined) sources.push({ name: "--config-str", text, format: "yaml" });
  return { configuration: loadConfiguration(sources, environment), folder, name };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
