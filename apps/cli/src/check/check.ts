import { type DocumentProblem, renderProblem } from "@mqb/config";
import type { Redactor } from "@mqb/config/uri";
import { formatPath } from "@mqb/core";
import type { ParsedArgs } from "../args/parse.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { jsonDocument } from "../json-document.ts";
import { withInstallCommands } from "../plugins/install-command.ts";
import { type CheckedRun, isMissingPlugin, loadChecked } from "./load.ts";

/** `mqb check`: everything that is wrong with a configuration, as far as it shows without a connection. */
export async function check(args: ParsedArgs, context: CommandContext): Promise<number> {
  const checked = await loadChecked(args, context);
  const code = exitCode(checked.problems, args.has("strict"));
  const { output } = context;
  if (args.has("json")) output.result(jsonDocument(document(checked, code, context), output.redactor));
  else output.result(report(checked, context));
  return code;
}

/** The exit code for what was found: 1 for a fault, 3 when only plugins are missing, 5 for a warning that counts. */
export function exitCode(problems: readonly DocumentProblem[], strict: boolean): number {
  const errors = problems.filter((problem) => problem.level === "error");
  if (errors.length > 0) return errors.every(isMissingPlugin) ? EXIT.pluginsMissing : EXIT.failed;
  return strict && problems.some((problem) => problem.level === "warning") ? EXIT.warnings : EXIT.ok;
}

function report({ read, problems }: CheckedRun, { output, environment }: CommandContext): string {
  const shown = problems.map((problem) => {
    const text = renderProblem(hidden(problem, output.redactor), { frame: true, color: output.color });
    return `${problem.level}[${problem.code}] ${withInstallCommands(text, environment, read.folder)}\n\n`;
  });
  return `${shown.join("")}${output.redactor.text(read.name)}: ${summary(problems)}; ${routesText(read)}\n`;
}

/** A problem fit to be shown, part by part. */
export function hidden(problem: DocumentProblem, redactor: Redactor): DocumentProblem {
  const { at, ...told } = problem;
  const source = { ...at.source, name: redactor.text(at.source.name) };
  return { ...redactor.json(told), at: { ...at, source } };
}

function summary(problems: readonly DocumentProblem[]): string {
  const counts = (["error", "warning", "note"] as const)
    .map((level) => [level, problems.filter((problem) => problem.level === level).length] as const)
    .filter(([, count]) => count > 0)
    .map(([level, count]) => counted(count, level));
  return counts.length === 0 ? "nothing is wrong" : counts.join(", ");
}

function routesText({ configuration }: CheckedRun["read"]): string {
  const off = configuration.routes.filter((route) => !route.enabled).length;
  return `${counted(configuration.routes.length, "route")}${off > 0 ? `, ${off} of them not enabled` : ""}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function document({ read, routes, problems }: CheckedRun, code: number, { environment }: CommandContext): object {
  const count = (level: DocumentProblem["level"]): number =>
    problems.filter((problem) => problem.level === level).length;
  return {
    source: read.name,
    ok: count("error") === 0,
    exit_code: code,
    errors: count("error"),
    warnings: count("warning"),
    notes: count("note"),
    routes: read.configuration.routes.map(({ name, enabled }) => {
      const plan = routes.find((route) => route.name === name)?.plan;
      const guarantee = plan && { guarantee: plan.guarantee.level, guarantee_reason: plan.guarantee.reason };
      return { name, enabled, ok: !enabled || plan !== undefined, ...guarantee };
    }),
    problems: problems.map((problem) => ({
      level: problem.level,
      code: problem.code,
      path: formatPath(problem.path),
      source: problem.at.source.name,
      line: problem.at.line,
      column: problem.at.column,
      message: problem.message,
      ...(problem.hint === undefined ? {} : { hint: withInstallCommands(problem.hint, environment, read.folder) }),
    })),
  };
}
