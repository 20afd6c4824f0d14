import { type DocumentProblem, exactJson, listValues, renderProblem, type ShownValue } from "@mqb/config";
import { formatPath } from "@mqb/core";
import type { ParsedArgs } from "../args/parse.ts";
import { loadChecked } from "../check/load.ts";
import type { CommandContext } from "../context.ts";
import { EXIT } from "../exit.ts";
import { jsonDocument } from "../json-document.ts";
import { withInstallCommands } from "../plugins/install-command.ts";

/** `mqb config show`: every value with where it comes from, secrets hidden. */
export async function configShow(args: ParsedArgs, context: CommandContext): Promise<number> {
  const checked = await loadChecked(args, context);
  const { output } = context;
  const values = listValues(checked.read.configuration, checked.checked);
  if (args.has("json")) output.result(jsonDocument(values.map(jsonOf), output.redactor));
  else output.result(linesOf(output.redactor.json(values), args.has("origin")));
  const errors = checked.problems.filter((problem) => problem.level === "error");
  for (const problem of errors) output.notice(`${errorText(problem, checked.read.folder, context)}\n`);
  return errors.length > 0 ? EXIT.failed : EXIT.ok;
}

function jsonOf({ path, value, origin, secret }: ShownValue): object {
  return { path: formatPath(path), value, origin, secret };
}

function linesOf(values: readonly ShownValue[], withOrigin: boolean): string {
  const lines = values.map(
    ({ path, value, secret }) => `${formatPath(path)}: ${secret ? String(value) : exactJson(value)}`,
  );
  if (!withOrigin) return lines.map((line) => `${line}\n`).join("");
  // A long value must not push the origins of all others to the right.
  const width = Math.min(60, Math.max(0, ...lines.map((line) => line.length)));
  return lines.map((line, index) => `${line.padEnd(width)}  # ${values[index]!.origin}\n`).join("");
}

function errorText(problem: DocumentProblem, folder: string, { output, environment }: CommandContext): string {
  return withInstallCommands(renderProblem(problem, { color: output.color }), environment, folder);
}
