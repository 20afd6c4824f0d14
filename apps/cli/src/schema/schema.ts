import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { configurationSchema, type Names } from "@mqb/config";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { cliErrors, systemReason } from "../errors.ts";
import { EXIT } from "../exit.ts";
import type { FoundPlugin } from "../plugins/discover.ts";
import { findPlugins } from "../plugins/list.ts";
import { loadRegistry } from "../plugins/load.ts";

/** `mqb schema`. */
export function schema(args: ParsedArgs, context: CommandContext): Promise<number> {
  return writeSchema(args.text("out") ?? "-", args, context);
}

/**
 * Writes the JSON Schema for every plugin that a configuration would find, to a file or, for `-`, to standard output.
 * What `mqb --schema PATH|-` runs too. Throws a `config` error when the file cannot be written.
 */
export async function writeSchema(target: string, args: ParsedArgs, context: CommandContext): Promise<number> {
  const found = await findPlugins(args, context);
  const registry = await loadRegistry(found, everyName(found));
  const text = `${JSON.stringify(configurationSchema(registry), undefined, 2)}\n`;
  if (target === "-") context.output.result(text);
  else await writeTo(target, context.cwd, text);
  return EXIT.ok;
}

async function writeTo(target: string, cwd: string, text: string): Promise<void> {
  const path = resolve(cwd, target);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  } catch (error) {
    throw cliErrors.CANNOT_WRITE({ path: target, reason: systemReason(error) });
  }
}

function everyName(found: readonly FoundPlugin[]): Names {
  const all = (kind: "endpoints" | "middlewares" | "schemes" | "stores"): Set<string> =>
    new Set(found.flatMap((plugin) => plugin.manifest?.[kind] ?? []));
  return {
    endpoints: all("endpoints"),
    middlewares: all("middlewares"),
    schemes: all("schemes"),
    stores: all("stores"),
    expressions: found.some((plugin) => plugin.manifest?.expressions === true),
  };
}
