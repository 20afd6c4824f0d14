import { describe, expect, it } from "vitest";
import { placeholder } from "../generate/placeholder.mjs";

interface Parameters {
  readonly path: string;
  readonly ms: number;
  readonly known: readonly string[];
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** Messages as the error tables write them, with what the reference shows. */
const shapes: readonly [string, (p: Parameters) => string, string][] = [
  ["a parameter", (p) => `no file "${p.path}"`, 'no file "<path>"'],
  ["a method of a text or number", (p) => `${p.path.toUpperCase()} ${p.ms.toFixed(1)}`, "<path> <ms>"],
  ["a joined list", (p) => `there are: ${p.known.join(", ") || "none"}`, "there are: <known>, …"],
  [
    "a mapped list",
    (p) => p.problems.map((one) => `${one.path}: ${one.message}`).join("; "),
    "<problem.path>: <problem.message>; …",
  ],
  ["a count", (p) => `${p.known.length} name${p.known.length === 1 ? "" : "s"}`, "N names"],
  ["JSON", (p) => JSON.stringify(p.path), '"<path>"'],
  ["a choice", (p) => (p.path === undefined ? "absent" : `present: ${p.path}`), "present: <path>"],
  ["destructured parameters", ({ path, ms }) => `${path} after ${ms} ms`, "<path> after <ms> ms"],
];

describe("the shape of an error message", () => {
  it.each(shapes)("shows %s", (_, message, shape) => {
    expect(message(placeholder())).toBe(shape);
  });
});
