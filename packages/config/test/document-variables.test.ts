import { describe, expect, it } from "vitest";
import { checkText } from "./support-load.ts";

const route = (fields: string): string =>
  `r:\n  input:\n    file:\n      path: p\n${fields.replace(/^/gm, "      ")}\n`;

describe("what a variable holds is of the type of its field", () => {
  it.each(["012345", "yes#1", "1e3", "null", "~", "true", "0x1F", " # x", "a: b", "- a", "*x", "{}"])(
    "a text field keeps %j, with quotes and without",
    (value) => {
      for (const written of ["$P", "${P}", '"${P}"', "'${P}'", "${OTHER:-${P}"]) {
        const text = written.startsWith("${OTHER") ? 'csv: {separator: "${P}"}' : `csv: {separator: ${written}}`;
        const { file, lines } = checkText(route(text), { P: value });
        expect([file!["csv"], lines]).toEqual([{ separator: value }, []]);
      }
    },
  );

  it("a number field gets a number, a flag gets true or false, also from quotes, as JSON needs them", () => {
    const { file, lines } = checkText(route('batch: ${N}\nratio: "${R}"\ndelete: ${D:-True}'), { N: "7", R: "0.5" });
    expect(lines).toEqual([]);
    expect(file).toMatchObject({ batch: 7, ratio: 0.5, delete: true });
  });

  it("a field of texts and others takes the text where it is one of its own", () => {
    expect(checkText(route("source: $S"), { S: "auto" }).file).toMatchObject({ source: "auto" });
    expect(checkText(route("source: $S"), { S: "true" }).file).toMatchObject({ source: true });
  });

  it("a field that takes anything goes by YAML, or stays a text in quotes", () => {
    expect(checkText(route("anything: [$A, '$A', x$A, $B, $C]"), { A: "7", B: "true", C: "~" }).file).toMatchObject({
      anything: [7, "7", "x7", true, null],
    });
  });

  it("options of a route are numbers and flags", () => {
    const { checked, lines } = checkText("r: {input: {file: {path: p}}, batch_size: $N, exit_on_empty: $E}", {
      N: "9",
      E: "true",
    });
    expect(lines).toEqual([]);
    expect(checked.routes[0]!.plan!.options).toMatchObject({ batchSize: 9, exitOnEmpty: true });
    expect(checkText("r: {input: {file: {path: p}}, enabled: $E}", { E: "false" }).checked.routes).toEqual([]);
  });

  it("reaches nested endpoints and middlewares", () => {
    const text = `r:
  input: {file: {path: p}}
  output:
    legs: [{file: {path: $P, batch: $N}, middlewares: [{retry: {max_attempts: $N}}]}]
    middlewares: [{dlq: {endpoint: {file: {path: $P, batch: $N}}}}]
`;
    const { checked, lines } = checkText(text, { P: "1", N: "2" });
    expect(lines).toEqual([]);
    expect(checked.routes[0]!.config).toMatchObject({
      output: {
        legs: [{ file: { path: "1", batch: 2 }, middlewares: [{ retry: { max_attempts: 2 } }] }],
        middlewares: [{ dlq: { endpoint: { file: { path: "1", batch: 2 } } } }],
      },
    });
  });

  it("an empty one without quotes counts as not written", () => {
    const { file, lines } = checkText(route("batch: ${E:-}\nformat: $F"), { E: "", F: "" });
    expect(lines).toEqual([]);
    expect(file).toEqual({ path: "p" });
    expect(checkText("r:\n  input: {file: {path: $NAME}}", { NAME: "" }).lines).toEqual([
      'c.yml:2:18 r.input.file.path: "file" needs the field "path"; it is written, but the variable NAME is empty',
    ]);
  });

  it("a value that does not fit is named with its variable, and a secret is not shown", () => {
    expect(checkText(route("batch: $N"), { N: "many" }).lines).toEqual([
      'c.yml:5:14 r.input.file.batch: "batch" of "file" takes a whole number, not "many" (from N)',
    ]);
    const { framed } = checkText(route("batch: $DB_PASSWORD"), { DB_PASSWORD: "hunter22" });
    expect(framed).toContain("not a text (from DB_PASSWORD)");
    expect(framed).not.toContain("hunter22");
  });
});
