import type { Problem } from "@mqb/core";
import type { Location } from "./place.ts";

/** A problem with the point in the text where it was written. The path starts at the document's root. */
export interface DocumentProblem extends Problem {
  readonly at: Location;
}

/** Sorts by source and place, so that a list reads like the document. */
export function inDocumentOrder(problems: readonly DocumentProblem[]): DocumentProblem[] {
  const sources = [...new Set(problems.map((problem) => problem.at.source))];
  return problems.toSorted(
    (a, b) => sources.indexOf(a.at.source) - sources.indexOf(b.at.source) || a.at.offset - b.at.offset,
  );
}
