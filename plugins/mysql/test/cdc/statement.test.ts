import { expect, it } from "vitest";
import { statementKind } from "../../src/cdc/decode/statement.ts";

it.each([
  ["BEGIN", { kind: "begin" }],
  ["XA START 'a'", { kind: "begin" }],
  ["XA COMMIT 'a'", { kind: "xa" }],
  ["COMMIT", { kind: "commit" }],
  ["ROLLBACK", { kind: "rollback" }],
  ["ROLLBACK TO `s`", { kind: "savepoint" }],
  ["/* a */ -- b\n insert into t values (1)", { kind: "rows" }],
  ["# x\nUPDATE t SET a = 1", { kind: "rows" }],
  ["truncate t", { kind: "truncate", schema: undefined, table: "t" }],
  ["TRUNCATE TABLE `a``b`.`c d`;", { kind: "truncate", schema: "a`b", table: "c d" }],
  ["TRUNCATE\tTABLE s . t", { kind: "truncate", schema: "s", table: "t" }],
  ["ALTER TABLE t TRUNCATE PARTITION p0", { kind: "partition" }],
  ["ALTER TABLE t DROP COLUMN a", { kind: "other" }],
  ["CREATE TABLE t (a INT)", { kind: "other" }],
  ["", { kind: "other" }],
])("%s is told by its first words", (sql, kind) => {
  expect(statementKind(sql)).toEqual(kind);
});
