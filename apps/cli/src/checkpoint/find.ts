import { createBridge, type RoutePlan } from "@mqb/core";
import { type Checkpoint, silentLogger } from "@mqb/core/plugin";
import { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { prepareCopy } from "../copy/prepare.ts";
import { cliErrors } from "../errors.ts";
import { prepare } from "../run/supervise.ts";

export interface Found {
  readonly checkpoint: Checkpoint;
  /** Of the configuration; undefined for a copy. */
  readonly route?: string;
  /** The configuration's file. */
  readonly file?: string;
}

/** The position of the route or of the copy that the arguments name. Throws a `config` error when it keeps none. */
export async function findCheckpoint(args: ParsedArgs, context: CommandContext): Promise<Found> {
  const route = args.text("route");
  if (route !== undefined && args.positionals.length > 0) {
    throw cliErrors.USAGE({ message: "the position is that of a --route, or of a SOURCE, not of both" });
  }
  if (route !== undefined) return await ofRoute(route, args, context);
  if (args.positionals.length === 0)
    throw cliErrors.USAGE({ message: "which position: --route NAME, or SOURCE [TARGET]" });
  return await ofCopy(args, context);
}

async function ofRoute(route: string, args: ParsedArgs, context: CommandContext): Promise<Found> {
  const { read, run } = await prepare(args, context);
  const found = run.routes.find((one) => one.name === route);
  if (!found) throw cliErrors.NO_SUCH_ROUTE({ route, known: run.routes.map((one) => one.name) });
  if (!found.plan)
    throw cliErrors.CONFIG_INVALID({ source: read.name, problems: found.problems.map((one) => one.message) });
  const checkpoint = checkpointOf(found.plan, `route ${route}`, run.registry, run.endpoints, context);
  return { checkpoint, route, ...(read.files[0] === undefined ? {} : { file: read.files[0] }) };
}

/** With a target the position is that of `copy --resume`, else the one that the source keeps by itself. */
async function ofCopy(args: ParsedArgs, context: CommandContext): Promise<Found> {
  const [source = "", target] = args.positionals;
  const flags = new Map<string, true | string | readonly string[]>([["plugin", args.texts("plugin")]]);
  const filter = args.text("filter");
  if (filter !== undefined) flags.set("filter", filter);
  if (target !== undefined) flags.set("resume", true);
  const copy = new ParsedArgs([source, target ?? "null:"], flags);
  const { plan, registry, shown } = await prepareCopy(copy, context.cwd, context.environment);
  return { checkpoint: checkpointOf(plan, `a copy of ${shown.from}`, registry, {}, context) };
}

function checkpointOf(
  { name, input }: RoutePlan,
  of: string,
  registry: Parameters<typeof createBridge>[0]["registry"],
  endpoints: Readonly<Record<string, unknown>>,
  { clock, cwd }: CommandContext,
): Checkpoint {
  const bridge = createBridge({ registry, endpoints, clock, baseDir: cwd });
  const { openStore } = bridge;
  const checkpoint = input.definition.checkpoint?.(input.config, {
    ...{ route: name, log: silentLogger, clock, baseDir: cwd, openStore, service: registry.service },
  });
  if (!checkpoint) throw cliErrors.NO_CHECKPOINT({ source: input.type, of });
  return checkpoint;
}
