import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { jsonDocument } from "../json-document.ts";
import { checkDocument, repairDocument } from "./document.ts";
import { checkKeys, repairKeys } from "./keys.ts";
import { placesOf, type StatePlace } from "./places.ts";

/** What was seen or done at one place. */
export interface StateReport {
  readonly path: string;
  readonly kind: StatePlace["kind"];
  /** `absent`: nothing was stored yet. `repaired`: it was damaged. */
  readonly state: "sound" | "absent" | "damaged" | "repaired";
  /** In words, one line each. */
  readonly details: readonly string[];
}

/** `mqb state check`. */
export async function checkState(args: ParsedArgs, context: CommandContext): Promise<number> {
  return await eachPlace(args, context, (place) =>
    place.kind === "keys" ? checkKeys(place.path, context.clock.now()) : checkDocument(place.path),
  );
}

/** `mqb state repair`. */
export async function repairState(args: ParsedArgs, context: CommandContext): Promise<number> {
  return await eachPlace(args, context, (place) =>
    place.kind === "keys" ? repairKeys(place.path) : repairDocument(place.path),
  );
}

async function eachPlace(
  args: ParsedArgs,
  context: CommandContext,
  run: (place: StatePlace) => Promise<Omit<StateReport, "path" | "kind">>,
): Promise<number> {
  const reports: StateReport[] = [];
  for (const place of await placesOf(args, context)) reports.push({ ...place, ...(await run(place)) });
  const { output } = context;
  if (args.has("json")) output.result(jsonDocument(reports, output.redactor));
  else output.result(output.redactor.text(reports.length > 0 ? reports.map(textOf).join("") : NOTHING));
  return reports.some(({ state }) => state === "damaged") ? EXIT.failed : EXIT.ok;
}

const NOTHING = "no state on disk\n";

function textOf({ path, state, details }: StateReport): string {
  return `${path}: ${state}\n${details.map((one) => `  ${one}\n`).join("")}`;
}
