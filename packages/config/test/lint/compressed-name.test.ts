import { expect, it } from "vitest";
import { routeLines } from "./linted.ts";

it.each([
  ["rows.jsonl.gz", "gzip"],
  ["rows.csv.zst", "zstd"],
  ["rows.lz4", "lz4"],
])("a file named %s that nothing compresses is named, on either side", (path, codec) => {
  const file = `{file: {path: ${path}}}`;
  const suffix = /\.\w+$/.exec(path)![0];
  const told = (side: string, done: string) =>
    `warning MQB_LINT_COMPRESSED_NAME c:1:${side === "input" ? 20 : 41} r.${side}.file.path: "path" of "file" ends in ${suffix}, but the file is ${done}: in a configuration its name alone says nothing; write compression: ${codec}, or compression: none if that is meant`;
  expect(routeLines(`input: ${file}`)).toEqual([told("input", "read as it is, not decompressed")]);
  expect(routeLines(`input: {static: x}, output: ${file}`)).toEqual([told("output", "written uncompressed")]);
});

it("a dead letter file is looked at too", () => {
  const dlq = "{dlq: {endpoint: {file: {path: dead.gz}}}}";
  expect(routeLines(`input: {static: x}, output: {file: {path: out}, middlewares: [${dlq}]}`)).toEqual([
    expect.stringContaining("r.output.middlewares[0].dlq.endpoint.file.path"),
  ]);
});

it.each([
  "input: {file: {path: rows.gz, compression: gzip}}",
  "input: {file: {path: rows.gz, compression: none}}",
  "input: {file: {path: gz}}",
  "input: {file: {path: rows.gz.jsonl}}",
  "input: {static: x}, output: {file: {path: out.gz}, middlewares: [{compression: {algorithm: gzip}}]}",
])("nothing is said of %s", (sides) => {
  expect(routeLines(sides).filter((line) => line.includes("COMPRESSED_NAME"))).toEqual([]);
});
