import type { Path } from "./path.ts";
import type { problemCodes } from "./problem-codes.ts";

/** One fault or remark about a configuration, in the place where it was written. */
export interface Problem {
  /** A `note` says what is good to know, such as a setting without effect. */
  readonly level: "error" | "warning" | "note";
  /** Core's own are the keys of `problemCodes`; definitions bring theirs. */
  readonly code: string;
  /** From the route: `["output", "file", "pth"]`. */
  readonly path: Path;
  readonly message: string;
  readonly hint?: string;
}

/** Collects the problems of one place in a route; `at` is a place below it, of the same collection. */
export class Problems {
  readonly path: Path;
  private readonly found: Problem[];

  constructor(path: Path = [], found: Problem[] = []) {
    this.path = path;
    this.found = found;
  }

  at(...steps: Path): Problems {
    return new Problems([...this.path, ...steps], this.found);
  }

  /** Returns undefined, for callers that have nothing to return then. */
  error(code: keyof typeof problemCodes, message: string, hint?: string): undefined {
    this.add({ level: "error", code, path: [], message, ...(hint === undefined ? {} : { hint }) });
  }

  /** A problem whose path is relative to this place. */
  add(problem: Problem): void {
    this.found.push({ ...problem, path: [...this.path, ...problem.path] });
  }

  /** Of the whole collection. */
  get list(): readonly Problem[] {
    return this.found;
  }

  /** Of the whole collection. */
  get errors(): readonly Problem[] {
    return this.found.filter((problem) => problem.level === "error");
  }
}
