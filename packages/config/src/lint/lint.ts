import type { Problem } from "@mqb/core";
import type { Path } from "../document/place.ts";
import type { lintCodes } from "./codes.ts";
import type { Subject } from "./subject.ts";

/** A look at one route that could start. Pure. */
export type RouteLint = (route: Subject, where: Written) => readonly Problem[];

/** A look at all routes that could start, side by side. */
export type ConfigurationLint = (routes: readonly Subject[], services: Services) => readonly FoundInRoute[];

/** Addresses that the process itself listens on, by the setting that gives them. */
export type Services = Readonly<Record<string, string>>;

export interface FoundInRoute {
  /** The name of the route in which it is shown. */
  readonly route: string;
  readonly problem: Problem;
}

/** What is known of where a value came from. */
export interface Written {
  /** Whether it stands in a text as it is, with no variable put into it. */
  isInClear(path: Path): boolean;
}

export function problem(
  level: Problem["level"],
  code: keyof typeof lintCodes,
  path: Path,
  message: string,
  hint?: string,
): Problem {
  return { level, code, path, message, ...(hint === undefined ? {} : { hint }) };
}
