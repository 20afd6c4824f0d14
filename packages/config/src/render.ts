import { formatPath } from "@mqb/core";
import type { DocumentProblem, Excerpt } from "./document/problem.ts";

export interface RenderOptions {
  /** Adds the line of the text and a caret below what is wrong, where there is a text. Default: false. */
  readonly frame?: boolean;
  /** Default: false. */
  readonly color?: boolean;
}

const COLORS = { error: 31, warning: 33, note: 36 } as const;
/** A longer line, such as a whole document in one, is shown around the place. */
const WIDTH = 120;

/**
 * One line: `config.yml:12:7 routes.r.output.file.pth: "file" has no field "pth"; did you mean "path"?` With `frame`, the
 * line of the text follows. What came from a variable shows the variable's name instead of line and column.
 */
export function renderProblem(problem: DocumentProblem, options: RenderOptions = {}): string {
  const { source, line, column } = problem.at;
  const { color = false } = options;
  const path = formatPath(problem.path);
  const hint = problem.hint === undefined ? "" : `; ${problem.hint}`;
  const place = `${source.name}${line > 0 ? `:${line}:${column}` : ""}${path ? ` ${path}` : ""}`;
  const code = COLORS[problem.level];
  const text = `${paint(place, 1, color)}: ${paint(problem.message, code, color)}${hint}`;
  if (!options.frame || !problem.excerpt || line === 0) return text;
  return `${text}\n${frameOf(problem.excerpt, line, (part) => paint(part, code, color))}`;
}

/**
 * The line with its number, and a caret under the part that is meant:
 *
 *     12 |       pth: out.jsonl
 *        |       ^^^
 */
function frameOf({ line, column, length }: Excerpt, number: number, mark: (text: string) => string): string {
  const start = line.length <= WIDTH ? 0 : Math.max(0, Math.min(column - WIDTH / 3, line.length - WIDTH));
  const shown = line.slice(start, start + WIDTH);
  const before = start > 0 ? "… " : "";
  const after = start + WIDTH < line.length ? " …" : "";
  // A tab stays a tab below a tab, so that the caret stands right at any width.
  const indent = (before.replace(/./g, " ") + shown.slice(0, column - start)).replace(/[^\t]/g, " ");
  const carets = "^".repeat(Math.max(1, Math.min(length, shown.length - (column - start))));
  const gutter = String(number).padStart(5);
  return `${gutter} | ${before}${shown}${after}\n${" ".repeat(5)} | ${indent}${mark(carets)}`;
}

function paint(text: string, code: number, color: boolean): string {
  return color ? `\x1b[${code}m${text}\x1b[0m` : text;
}
