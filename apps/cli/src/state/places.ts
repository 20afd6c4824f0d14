import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isMap, type RoutePlan } from "@mqb/core";
import { type DeduplicationSettings, folderOf } from "@mqb/dedup";
import { locateStateFile } from "@mqb/standard";
import { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { endpointsOf, storesOf } from "../doctor/places.ts";
import { prepare } from "../run/supervise.ts";

/** State on disk: a folder of keys, or a document with positions. */
export interface StatePlace {
  readonly path: string;
  readonly kind: "keys" | "document";
}

/** The places that the arguments name, or those of the configuration; each once. */
export async function placesOf(args: ParsedArgs, context: CommandContext): Promise<readonly StatePlace[]> {
  const { positionals } = args;
  const found = positionals.length === 0 ? await ofConfiguration(args, context) : [];
  for (const written of positionals) {
    const path = resolve(context.cwd, written);
    if (isConfiguration(path)) found.push(...(await ofConfiguration(withConfig(args, path), context)));
    else found.push({ path, kind: isFile(path) ? "document" : "keys" });
  }
  return found.filter((one, at) => found.findIndex(({ path }) => path === one.path) === at);
}

function withConfig(args: ParsedArgs, path: string): ParsedArgs {
  return new ParsedArgs(
    [],
    new Map<string, string | readonly string[]>([
      ["config", path],
      ["plugin", args.texts("plugin")],
    ]),
  );
}

async function ofConfiguration(args: ParsedArgs, context: CommandContext): Promise<StatePlace[]> {
  const { run } = await prepare(args, context);
  return run.routes.flatMap(({ name, plan }) => (plan ? ofPlan(name, plan, context.cwd) : []));
}

function ofPlan(route: string, plan: RoutePlan, baseDir: string): StatePlace[] {
  const folders = endpointsOf(plan)
    .flatMap((endpoint) => endpoint.middlewares)
    .filter((one) => one.name === "deduplication")
    .flatMap((one) => folderOf(one.config as DeduplicationSettings, route, baseDir) ?? [])
    .map((path): StatePlace => ({ path, kind: "keys" }));
  const documents = storesOf(plan)
    .filter(({ url }) => isFileUrl(url))
    .map(({ url }): StatePlace => ({ path: locateStateFile(url, baseDir), kind: "document" }));
  return [...folders, ...documents];
}

/** A `file:` URL or a bare path; what has another scheme is in some server. */
function isFileUrl(url: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(url)?.[1]?.toLowerCase();
  return scheme === undefined || scheme === "file";
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** YAML by its name, JSON by what is in it: a document of positions has no routes. */
function isConfiguration(path: string): boolean {
  if (!isFile(path)) return false;
  if (/\.ya?ml$/i.test(path)) return true;
  try {
    const document: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isMap(document) && (isMap(document["routes"]) || isMap(document["input"]));
  } catch {
    return false;
  }
}
