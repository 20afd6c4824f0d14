import { describeError } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { classify } from "../src/client/classify.ts";

type Fields = Readonly<Record<string, string>>;

function told(code: string, message: string, fields: Fields = {}): string {
  const error = classify(Object.assign(new Error(message), { code, severity: "ERROR", ...fields }), "db");
  // Nothing of it lies behind, where a log would find it.
  expect(JSON.stringify(error.cause, Object.getOwnPropertyNames(error.cause as Error))).not.toContain("geheim");
  return describeError(error);
}

describe("what the server says of a row that it refuses", () => {
  it.each([
    ["22P02", 'invalid input syntax for type integer: "geheim"', {}, "invalid input syntax for type integer: … ("],
    ["22P02", 'invalid input syntax for type integer: "ge"heim" of column "geheim"', {}, "for type integer: … ("],
    ["22P02", 'invalid input value for enum mood: "geheim"', {}, "invalid input value for enum mood: … ("],
    ["22003", 'value "12geheim" is out of range for type integer', {}, 'value "…" is out of range for type integer ('],
    [
      "22003",
      '"geheim" is out of range for type double precision',
      {},
      '"…" is out of range for type double precision',
    ],
    ["22P02", '" of column "geheim" is not a valid binary digit', {}, '"…" is not a valid binary digit'],
    ["22007", 'invalid value "geheim" for "YYYY"', {}, 'invalid value "…" ('],
    ["22023", 'time zone "geheim" not recognized', {}, 'time zone "…" not recognized'],
    [
      "22021",
      'invalid byte sequence for encoding "UTF8": 0xff 0x67',
      {},
      'invalid byte sequence for encoding "UTF8": … (SQLSTATE 22021)',
    ],
    [
      "22P02",
      "invalid input syntax for type json",
      { detail: 'Token "geheim" is invalid.', where: "JSON data, line 1: geheim" },
      "invalid input syntax for type json (SQLSTATE 22P02)",
    ],
    [
      "22P02",
      'invalid input syntax for type integer: "geheim"',
      { where: 'COPY t, line 1, column n: "geheim"' },
      "invalid input syntax for type integer: … (SQLSTATE 22P02)",
    ],
    [
      "23502",
      'null value in column "n" of relation "t" violates not-null constraint',
      { schema: "s", table: "t", column: "n", detail: "Failing row contains (1, null, geheim)." },
      'null value in column "n" of relation "t" violates not-null constraint (SQLSTATE 23502)',
    ],
    [
      "23505",
      'duplicate key value violates unique constraint "t_mail"',
      { schema: "s", table: "t", constraint: "t_mail", detail: "Key (a, lower(mail))=(1, x)=(geheim) already exists." },
      'duplicate key value violates unique constraint "t_mail" (key (a, lower(mail))=(…) already exists, table s.t, SQLSTATE 23505)',
    ],
    [
      "23503",
      'insert or update on table "t" violates foreign key constraint "fk"',
      { table: "t", constraint: "fk", detail: 'Key (mail)=(geheim) is not present in table "people".' },
      'violates foreign key constraint "fk" (key (mail)=(…) is not present in table "people", SQLSTATE 23503)',
    ],
    [
      "23P01",
      'conflicting key value violates exclusion constraint "e"',
      { detail: "Key (r)=([geheim,)) conflicts with existing key (r)=([geheim,))." },
      'exclusion constraint "e" (key (r)=(…) conflicts with another one, SQLSTATE 23P01)',
    ],
    [
      "23514",
      'no partition of relation "t" found for row',
      { detail: "Partition key of the failing row contains (city) = (geheim)." },
      'no partition of relation "t" found for row (partition key (city), SQLSTATE 23514)',
    ],
    [
      "23514",
      "value for domain d violates check constraint",
      { dataType: "d", constraint: "d_check" },
      "(type d, constraint d_check, SQLSTATE 23514)",
    ],
    ["42P01", 'relation "geheim" does not exist', {}, 'relation "…" does not exist'],
    ["42883", "operator does not exist: geheim", {}, "operator does not exist: …"],
    [
      "42703",
      'column "geheim" does not exist',
      { internalQuery: "SELECT geheim", where: "PL/pgSQL function f(integer) line 3 at EXECUTE" },
      'column "…" does not exist (function f(integer) line 3, SQLSTATE 42703)',
    ],
    [
      "22012",
      "division by zero",
      { where: 'SQL statement "SELECT geheim"\nPL/pgSQL function geheim() line 3 at EXECUTE' },
      "division by zero (SQLSTATE 22012)",
    ],
  ] as const)("has names, and no value: %s %s", (code, message, fields, shown) => {
    const text = told(code, message, fields);
    expect(text).toContain(shown);
    expect(text).not.toContain("geheim");
  });

  it.each(["exec_stmt_raise", "exec_stmt_assert", "PLy_elog_impl", "rethrow", "elogExceptionMessage"])(
    "is told by the place of the function, whose words are its author's: %s",
    (routine) => {
      const where = "PL/pgSQL function check_order() line 7 at RAISE";
      const text = told("23514", "card geheim is refused", { routine, where, hint: "geheim" });
      expect(text).toContain("(function check_order() line 7, SQLSTATE 23514)");
      expect(text).not.toContain("geheim");
    },
  );

  it("in another language has nothing between its first and last quote", () => {
    const fields = { severity: "FEHLER", column: "n" };
    const text = told("22P02", "ungültige Eingabesyntax für Typ integer: »ge«heim«", fields);
    expect(text).toContain("ungültige Eingabesyntax für Typ integer: … (column n, SQLSTATE 22P02)");
  });

  it.each([
    ["22003", "el valor «geheim» está fuera de rango para el tipo integer", "el valor … está fuera de rango"],
    ["42704", "no existe el tipo «geheim»", "no existe el tipo …"],
    ["42883", "el operador no existe: geheim", "el operador no existe: … ("],
    ["22021", "secuencia de bytes no válida para codificación «UTF8»: 0x67 0x65", "para codificación …: … ("],
    ["22P02", 'integer型の入力構文が不正です: "geheim"', "integer型の入力構文が不正です: … ("],
    ["42704", 'ロール"geheim"は存在しません', "ロール…は存在しません"],
    ["22P02", 'valeur "geheim" refusée', "valeur … refusée"],
    ["P0002", "valor «geheim» sin acentos", "valor … sin acentos"],
  ])("has no value in a language that says ERROR, too: %s %s", (code, message, shown) => {
    const text = told(code, message);
    expect(text).toContain(shown);
    expect(text).not.toContain("geheim");
    expect(text).not.toContain("0x67");
  });

  it("has no byte of a text that another encoding lacks", () => {
    const message =
      'character with byte sequence 0xe2 0x82 0xac in encoding "UTF8" has no equivalent in encoding "LATIN1"';
    expect(told("22P05", message)).toContain(
      'character with byte sequence … in encoding "UTF8" has no equivalent in encoding "LATIN1" (SQLSTATE 22P05)',
    );
  });

  it.each([
    ["XX000", "geheim", {}],
    ["P0001", "java.lang.IllegalStateException: geheim", { routine: "elogExceptionMessage" }],
    ["22000", "card geheim", { where: "In PL/R function f" }],
    ["23514", "card geheim", { where: 'PL/Lua function "f"' }],
    ["XX000", "la tarjeta «geheim» está rechazada", {}],
  ] as const)("is none of what a function says in any language: %s %s", (code, message, fields) => {
    const text = told(code, message, fields);
    expect(text).toContain("a function of the database has refused it");
    expect(text).not.toContain("geheim");
  });

  it.each([
    ["XX000", "tuple concurrently updated", {}],
    ["XX000", "cache lookup failed for type 16384", {}],
    ["XX000", "Tenant or user not found", { severity: "FATAL" }],
    ["42703", 'column "größe" of relation "maße" does not exist', {}],
  ] as const)("is whole where the words are known, or no row is there: %s %s", (code, message, fields) => {
    expect(told(code, message, fields)).toContain(`${message} (SQLSTATE ${code})`);
  });

  it("names what the statement names, and no value beside it", () => {
    const statement = 'COPY "public"."Nosuch_t" ("id") FROM STDIN';
    for (const name of ["public.Nosuch_t", "Nosuch_t"]) {
      const message = `relation "${name}" does not exist`;
      expect(told("42P01", message, { statement })).toContain(`${message} (SQLSTATE 42P01)`);
    }
    expect(told("42P01", 'relation "geheim" does not exist', { statement })).toContain('relation "…" does not exist');
    // A part of a name is none.
    expect(told("42P01", 'relation "such" does not exist', { statement })).toContain('relation "…" does not exist');
    expect(told("3F000", 'schema "app" does not exist', { statement: "COPY App.t (id) FROM STDIN" })).toContain(
      'schema "app" does not exist',
    );
  });

  it.each([
    ["42P01", 'relation "orders" does not exist', { position: "13" }],
    ["42601", 'syntax error at or near "FORM"', { position: "10" }],
    ["42703", 'column "n" of relation "t" does not exist', {}],
    ["42704", 'publication "p" does not exist', {}],
    ["55006", 'replication slot "s" is active for PID 7', {}],
    ["28P01", 'password authentication failed for user "app"', {}],
    ["28000", 'no pg_hba.conf entry for host "::1", user "app", database "shop", no encryption', {}],
    ["42704", 'unrecognized configuration parameter "x"', {}],
  ] as const)("of a statement keeps its names: %s %s", (code, message, fields) => {
    expect(told(code, message, fields)).toContain(`${message} (SQLSTATE ${code})`);
  });
});

it("an error of the system is none of the server, whatever its code looks like", () => {
  const error = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
  expect(classify(error, "db")).toMatchObject({ code: "MQB_SQL_LOST", kind: "connection" });
});
