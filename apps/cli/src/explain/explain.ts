import { type ConfiguredRoute, renderProblem } from "@mqb/config";
import type { Redactor } from "@mqb/config/uri";
import type { RoutePlan } from "@mqb/core";
import type { ParsedArgs } from "../args/parse.ts";
import { exitCode, hidden } from "../check/check.ts";
import { loadChecked } from "../check/load.ts";
import { selectRoutes } from "../check/select.ts";
import type { CommandContext } from "../context.ts";
import { jsonDocument } from "../json-document.ts";
import { withInstallCommands } from "../plugins/install-command.ts";
import { type Promises, promisesOf } from "./promises.ts";
import { roadOf, type Step } from "./road.ts";

/** `mqb explain`: what routes do with a message, in words. */
export async function explain(args: ParsedArgs, context: CommandContext): Promise<number> {
  const { output, environment } = context;
  const checked = await loadChecked(args, context);
  const routes = selectRoutes(checked, args.positionals);
  if (args.has("json")) output.result(jsonDocument({ routes: routes.map(document) }, output.redactor));
  else output.result(withInstallCommands(routes.map((route) => text(route, output.redactor)).join("\n"), environment));
  return exitCode(
    routes.flatMap((route) => route.problems),
    false,
  );
}

function document({ name, plan, problems }: ConfiguredRoute): object {
  if (!plan) return { name, ok: false, problems: problems.map((problem) => renderProblem(problem)) };
  const { level, reason } = plan.guarantee;
  const { requiredDelivery: required, description } = plan.options;
  return {
    name,
    ok: true,
    description,
    road: roadOf(plan),
    guarantee: { level, reason, required: required ?? null },
    ...promisesOf(plan),
  };
}

function text({ name, plan, problems }: ConfiguredRoute, redactor: Redactor): string {
  const head = `route ${redactor.text(name)}`;
  if (!plan) {
    const reasons = problems
      .filter((problem) => problem.level === "error")
      .map((problem) => `  ${renderProblem(hidden(problem, redactor))}\n`);
    return `${head}\n\n  It cannot start:\n${reasons.join("")}`;
  }
  const about = plan.options.description === "" ? "" : `: ${redactor.text(plan.options.description)}`;
  const promises = redactor.json(promisesOf(plan));
  const parts = TITLES.map(([key, title]) => section(title, promises[key]));
  return `${head}${about}\n\n${road(redactor.json(roadOf(plan)))}${redactor.text(wayBack(plan))}\n${redactor.text(guarantee(plan))}\n${parts.join("\n")}`;
}

const TITLES: readonly (readonly [keyof Promises, string])[] = [
  ["order", "Order"],
  ["duplicated", "What can be duplicated"],
  ["lost", "What can be lost"],
  ["drain", "Drain"],
  ["stop", "Stop"],
  ["reconnect", "Reconnect"],
];

const VERBS: Readonly<Record<Step["kind"], string>> = {
  source: "is read from",
  middleware: "passes",
  sink: "is written to",
  aside: "may go to",
};

function road(steps: readonly Step[]): string {
  let number = 0;
  const lines = steps.map((step) => {
    const mark = step.kind === "aside" ? "   " : `${++number}. `.padEnd(3);
    const indent = step.kind === "aside" ? "    " : "  ";
    return `  ${indent}${mark}${VERBS[step.kind]} ${step.name} at ${step.path}: ${step.text}\n`;
  });
  const settled = `    ${++number}. is acknowledged at the source\n`;
  return `  A message\n${lines.join("")}${settled}`;
}

/** A failure passes the middlewares of the output in the other direction. */
function wayBack({ output }: RoutePlan): string {
  if (output.middlewares.length === 0) return "";
  return `  What "${output.type}" refuses comes back through ${output.middlewares.map((one) => one.name).join(", then ")}.\n`;
}

function guarantee({ guarantee: { level, reason }, options }: RoutePlan): string {
  const required = options.requiredDelivery === undefined ? "" : ` (required: ${options.requiredDelivery})`;
  return section("Guarantee", [`${level}${required}: ${reason}.`]);
}

function section(title: string, sentences: readonly string[]): string {
  return `  ${title}\n${sentences.map((one) => `    ${one}\n`).join("")}`;
}
