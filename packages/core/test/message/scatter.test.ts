import { expect, it } from "vitest";
import { ACCEPTED, FILTERED, failed, scatter } from "../../src/contract/disposition.ts";

it("puts the results of a selection back into their places", () => {
  const error = failed(new Error("x"));
  expect(scatter(4, Uint32Array.of(3, 1), [error, ACCEPTED], ACCEPTED, FILTERED)).toEqual([
    FILTERED,
    ACCEPTED,
    FILTERED,
    error,
  ]);
});

it("takes one result for the whole selection", () => {
  expect(scatter(3, Uint32Array.of(0, 2), undefined, ACCEPTED, FILTERED)).toEqual([ACCEPTED, FILTERED, ACCEPTED]);
});
