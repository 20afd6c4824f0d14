import { describe, expect, it } from "vitest";
import { plainColumns, planInsert, tailOf } from "../src/statement/insert.ts";
import { parseStatement } from "../src/statement/parse.ts";

const parse = (sql: string) => parseStatement(sql, "insert_query");

function refused(sql: string): string {
  try {
    parse(sql);
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

describe("tokens of a statement", () => {
  it("are values between pieces of text", () => {
    const { pieces, sources } = parse("INSERT INTO t (a, b) VALUES (${payload:a.b}::int, ${metadata:k})");
    expect(pieces).toEqual(["INSERT INTO t (a, b) VALUES (", 0, "::int, ", 1, ")"]);
    expect(sources).toEqual([
      { from: "payload", path: ["a", "b"] },
      { from: "metadata", key: "k" },
    ]);
  });

  it("are written as they are behind a doubled dollar", () => {
    expect(parse("SELECT '$${payload:a}' || ${payload:b}").pieces).toEqual(["SELECT '${payload:a}' || ", 0]);
  });

  it.each(["'${payload:a}'", '"${payload:a}"', "$$ ${payload:a} $$", "E'\\'${payload:a}'"])(
    "are refused inside quotes: %s",
    (quoted) => {
      expect(refused(`INSERT INTO t VALUES (${quoted}, \${payload:b})`)).toContain("inside quotes");
    },
  );

  it("are not seen in comments", () => {
    expect(parse("SELECT 1 -- ${payload:a}\n/* ${payload:b} */ + ${payload:c}").sources).toHaveLength(1);
  });

  it.each([
    ["${payload:id", "closing }"],
    ["${message:id}", "only payload: and metadata:"],
    ["${gen:uuid}", "only payload: and metadata:"],
    ["${payload:}", "names no field"],
    ["${payload:a | raw}", "without a filter"],
    ["${nothing:a}", "is no token"],
  ])("are refused with their text when they are malformed: %s", (token, reason) => {
    const message = refused(`INSERT INTO t VALUES (${token})`);
    expect(message).toContain(token);
    expect(message).toContain(reason);
  });
});

describe("an insert for many rows", () => {
  it("repeats its group of VALUES and keeps what stands behind it", () => {
    const { repeated } = planInsert(
      parse("INSERT INTO t (a) VALUES (lower(${payload:a}), now()) ON CONFLICT (a) DO NOTHING"),
    );
    expect(repeated).toEqual({
      head: "INSERT INTO t (a) VALUES ",
      row: ["(lower(", 0, "), now())"],
      tail: " ON CONFLICT (a) DO NOTHING",
    });
  });

  it.each([
    ["a token behind the group", "INSERT INTO t VALUES (${payload:a}) ON CONFLICT (a) DO UPDATE SET b = ${payload:b}"],
    ["several groups", "INSERT INTO t VALUES (${payload:a}), (${payload:b})"],
    ["a select", "INSERT INTO t SELECT ${payload:a}"],
    ["an update", "UPDATE t SET a = ${payload:a}"],
  ])("is written row by row for %s", (_, sql) => {
    expect(planInsert(parse(sql)).repeated).toBeUndefined();
  });

  it("by COPY names nothing but columns", () => {
    expect(plainColumns(parse("insert into s.t (A, b) values (${payload:a}, ${payload:b});"))).toEqual({
      table: "s.t",
      columns: ["a", "b"],
    });
    expect(plainColumns(parse("INSERT INTO t (a) VALUES (lower(${payload:a}))"))).toBeUndefined();
  });

  it("shows what stands behind the rows, texts blanked", () => {
    expect(tailOf(parse("INSERT INTO t VALUES (${payload:a}, 'on conflict') RETURNING a"))).toBe(" RETURNING a");
  });
});
