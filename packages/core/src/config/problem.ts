import type { Finding } from "../contract/definition.ts";
import type { Path } from "./path.ts";
import type { problemCodes } from "./problem-codes.ts";

/**
 * One fault or remark about a configuration, in the place where it was written: its path is from the route, as
 * `["output", "file", "pth"]`. Core's own codes are the keys of `problemCodes`; definitions bring theirs.
 */
export type Problem = Finding;

/** Collects the problems of one place in a route; `at` is a place below it, of the same collection. */
export class Problems {
  readonly path: Path;
  /** Of the whole collection. */
  readonly list: Problem[];

  constructor(path: Path = [], list: Problem[] = []) {
    this.path = path;
    this.list = list;
  }

  at(...steps: Path): Problems {
    return new Problems([...this.path, ...steps], this.list);
  }

  /** Returns undefined, for callers that have nothing to return then. */
  error(code: keyof typeof problemCodes, message: string, hint?: string): undefined {
    this.add({ level: "error", code, path: [], message, ...(hint === undefined ? {} : { hint }) });
  }

  /** A problem whose path is relative to this place. */
  add(problem: Problem): void {
    this.list.push({ ...problem, path: [...this.path, ...problem.path] });
  }

  /** Of the whole collection. */
  get errors(): readonly Problem[] {
    return this.list.filter((problem) => problem.level === "error");
  }
}
