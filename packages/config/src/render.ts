import { formatPath } from "@mqb/core";
import type { DocumentProblem } from "./document/problem.ts";

/** One line: `config.yml:12:7 routes.r.output.file.pth: "file" has no field "pth"; did you mean "path"?` */
export function renderProblem(problem: DocumentProblem): string {
  const { source, line, column } = problem.at;
  const path = formatPath(problem.path);
  const hint = problem.hint === undefined ? "" : `; ${problem.hint}`;
  return `${source.name}:${line}:${column}${path ? ` ${path}` : ""}: ${problem.message}${hint}`;
}
