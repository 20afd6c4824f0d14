import { describe, expect, it } from "vitest";
import { checkConfiguration, loadConfiguration, renderProblem } from "../src/index.ts";
import { registryWithStubs } from "./stubs/registry.ts";

const registry = await registryWithStubs();

function linesOf(text: string, environment: Readonly<Record<string, string>>): string {
  const source = { name: "c.yml", text, format: "yaml" } as const;
  const loaded = loadConfiguration([source], environment);
  const { problems } = checkConfiguration(loaded, registry, { concurrency: 1, batch_size: 1024 });
  return problems.map((one) => renderProblem(one, { frame: true })).join("\n");
}

const route = (input: string, output = "{memory: {topic: out}}", more = ""): string =>
  `routes:\n  orders:\n    input: ${input}\n    output: ${output}\n${more}`;
const filtered = (filter: string): string =>
  route(`{memory: {topic: in}, middlewares: [{filter: ${JSON.stringify(filter)}}]}`);

const inTwoModes = `routes:
  queue: {input: {memory: {topic: "\${PASSWORD}"}}}
  feed: {input: {memory: {topic: "\${PASSWORD}", subscribe_mode: true}}}
`;

describe("a message about what came from a variable shows the variable", () => {
  it.each([
    ["a transport of memory", route(`{memory: {url: "http://host/\${PASSWORD}"}}`), "http://"],
    ["a filter that tests nothing", filtered("x = ${PASSWORD}"), '"x = ${PASSWORD}"'],
    ["a filter with a fault", filtered("x > 1 andd ${PASSWORD}"), "andd"],
    ["a filter with a fault in the variable", filtered("x > 1 and ${PASSWORD}"), '"${PASSWORD}"'],
    ["an unknown reference", route("{memory: {topic: in}}", '{ref: "${PASSWORD}"}'), '"${PASSWORD}"'],
    ["a file that is read", route('{file: {path: "${PASSWORD}"}}', '{file: {path: "./${PASSWORD}"}}'), "./${PASSWORD}"],
    ["a topic in two modes", inTwoModes, '"${PASSWORD}"'],
  ])("%s", (_, text, shown) => {
    const lines = linesOf(text, { PASSWORD: "correcthorse batterystaple" });
    expect(lines).toContain(shown);
    expect(lines).not.toMatch(/correcthorse|batterystaple/);
  });

  it("a default that stands in for it", () => {
    const lines = linesOf(route("{memory: {topic: in}}", '{ref: "${UNSET:-correcthorse}"}'), {});
    expect(lines).toContain('"${UNSET:-…}"');
    expect(lines).not.toContain('"correcthorse"');
  });

  it("an override of a whole value", () => {
    const lines = linesOf(route("{memory: {topic: in}}", "{ref: a}"), {
      MQB__ROUTES__ORDERS__OUTPUT__REF: "correcthorse",
    });
    expect(lines).toContain('"${MQB__ROUTES__ORDERS__OUTPUT__REF}"');
    expect(lines).not.toContain("correcthorse");
  });

  it("leaves words of mqb and names of the document as they are", () => {
    const lines = linesOf(route("{file: {path: $FILE, fsync: batch}}", "{ref: $ROUTE}"), {
      FILE: "file",
      ROUTE: "orders",
    });
    expect(lines).toContain("fsync");
    expect(lines).toContain('"orders"');
    expect(lines).not.toContain("${FILE}");
  });
});
