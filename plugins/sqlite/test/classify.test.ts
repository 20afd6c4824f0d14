import { codeOf } from "@mqb/core/plugin";
import { expect, it } from "vitest";
import { classify, isBusy } from "../src/client/classify.ts";

const thrown = (message: string, errcode?: number) =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", ...(errcode !== undefined && { errcode }) });

// `all` and `iterate` of @photostructure/sqlite leave the number out.
it.each([
  ["database is locked", 5],
  ["database is locked", 261],
  ["database is locked", undefined],
  ["database table is locked: t", 6],
  ["database table is locked: t", undefined],
])("%s (%s) is waited for, and comes again", (message, errcode) => {
  const error = thrown(message, errcode);
  expect(isBusy(error)).toBe(true);
  expect(codeOf(classify(error, "db"))).toBe("MQB_SQL_BUSY");
});

it.each(["disk I/O error", "database or disk is full", "out of memory"])("%s may be over later", (message) => {
  expect(isBusy(thrown(message))).toBe(false);
  expect(codeOf(classify(thrown(message), "db"))).toBe("MQB_SQL_BUSY");
});

it("what a row says of locks is no lock", () => {
  const error = thrown("CHECK constraint failed: database is locked");
  expect(isBusy(error)).toBe(false);
  expect(codeOf(classify(error, "db"))).toBe("MQB_SQL_REFUSED");
});
