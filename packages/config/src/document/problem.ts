import type { Problem } from "@mqb/core";
import type { Location, Path, Source } from "./place.ts";

/** A problem with the point in the text where it was written. The path starts at the document's root. */
export interface DocumentProblem extends Problem {
  readonly at: Location;
  /** The line that it is about, fit to be shown. */
  readonly excerpt?: Excerpt;
  /** Where else it concerns: a package that is not installed is one problem, however often it is needed. */
  readonly also?: readonly { readonly path: Path; readonly at: Location }[];
}

/** A line of a text in which nothing is secret any more, and what of it to point at (column from 0, in UTF-16 units). */
export interface Excerpt {
  readonly line: string;
  readonly column: number;
  readonly length: number;
}

/** Sorts by source, in the given order, and by place, so that a list reads like the document. */
export function inDocumentOrder<P extends DocumentProblem>(problems: readonly P[], sources: readonly Source[]): P[] {
  const order = new Map<string, number>();
  for (const { name } of [...sources, ...problems.map((problem) => problem.at.source)])
    if (!order.has(name)) order.set(name, order.size);
  return problems.toSorted(
    (a, b) => order.get(a.at.source.name)! - order.get(b.at.source.name)! || a.at.offset - b.at.offset,
  );
}
