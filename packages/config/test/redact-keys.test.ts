import { formatPath } from "@mqb/core";
import { describe, expect, it } from "vitest";
import { checkConfiguration, listValues, loadConfiguration, renderProblem } from "../src/index.ts";
import { registryWithStubs } from "./stubs/registry.ts";

const registry = await registryWithStubs();
const ENVIRONMENT = { KEY: "correcthorse", EP: "file", ROUTE: "orders" };

function look(text: string) {
  const configuration = loadConfiguration([{ name: "c.yml", text, format: "yaml" }], ENVIRONMENT);
  const checked = checkConfiguration(configuration, registry, { concurrency: 1, batch_size: 1024 });
  return {
    said: checked.problems.map((one) => renderProblem(one)).join("\n"),
    paths: checked.problems.map(({ path }) => formatPath(path)),
    values: listValues(configuration, checked).map(({ path, value }) => `${formatPath(path)}: ${value}`),
  };
}

const output = (endpoint: string) => `routes: {r: {input: {memory: {topic: a}}, output: ${endpoint}}}`;

describe("a key that came from a variable is shown as it was written", () => {
  it.each([
    ["a field that nobody knows", output('{file: {path: out, "${KEY}": 5}}'), "routes.r.output.file.${KEY}"],
    ["an endpoint that nobody knows", output('{"${KEY}": {path: out}}'), "routes.r.output.${KEY}"],
    ["a part of a key", output('{file: {path: out, "my-${KEY}": 5}}'), "routes.r.output.file.my-${KEY}"],
    ["a default", output('{file: {path: out, "${UNSET:-correcthorse}": 5}}'), "routes.r.output.file.${UNSET:-…}"],
    ["a key that is written twice", output('{file: {path: out, "${KEY}": 5, correcthorse: 6}}'), undefined],
    [
      "a fault below it",
      output('{switch: {metadata_key: k, cases: {"${KEY}": {file: {pth: out}}}}}'),
      "routes.r.output.switch.cases.${KEY}.file.pth",
    ],
  ])("%s", (_, text, path) => {
    const { said, paths, values } = look(text);
    const written = text.includes(", correcthorse:");
    if (path !== undefined) expect(paths).toContain(path);
    // One that also stands there in letters is no secret.
    if (!written) expect(`${said}\n${values.join("\n")}`).not.toContain("correcthorse");
    expect(said).not.toBe("");
  });

  it("in the values of the configuration too", () => {
    const { values } = look(output('{switch: {metadata_key: k, cases: {"${KEY}": {memory: {topic: b}}}}}'));
    expect(values).toContain("routes.r.output.switch.cases.${KEY}.memory.topic: b");
  });
});

it("a route and an endpoint are called by their names, whatever those came from", () => {
  const { values, paths } = look('routes: {"${ROUTE}": {input: {"${EP}": {pth: a}}}}');
  expect(paths).toContain("routes.orders.input.file.pth");
  expect(values).toContain("routes.orders.input.file.delete: false");
});
