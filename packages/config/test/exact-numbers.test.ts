import { expect, it } from "vitest";
import {
  type CheckedConfiguration,
  type Configuration,
  checkConfiguration,
  endpointFromUri,
  exactJson,
  listValues,
  loadConfiguration,
  renderProblem,
  toCommand,
} from "../src/index.ts";
import { registryWithStubs } from "./stubs/registry.ts";
import { DEFAULTS } from "./support-load.ts";

const registry = await registryWithStubs();
const LONG = "12345678901234567890";

interface Checked {
  readonly configuration: Configuration;
  readonly checked: CheckedConfiguration;
  readonly lines: readonly string[];
}

function check(text: string, environment: Record<string, string> = {}, format: "yaml" | "json" = "yaml"): Checked {
  const configuration = loadConfiguration([{ name: "c", text, format }], environment);
  const checked = checkConfiguration(configuration, registry, DEFAULTS);
  return { configuration, checked, lines: checked.problems.map((problem) => renderProblem(problem)) };
}

const withDefault = (value: string): string =>
  `r: {input: {static: x, middlewares: [{transform: {mapping: {id: {path: $.id, default: ${value}}}}}]}}`;

/** The constant of `withDefault` in the checked route. */
function constantOf({ checked }: Checked): unknown {
  const { input } = checked.routes[0]!.plan!;
  return (input.middlewares[0]!.config as { mapping: { id: { default: unknown } } }).mapping.id.default;
}

it.each([
  [LONG, BigInt(LONG)],
  [`-${LONG}`, -BigInt(LONG)],
  ["+9007199254740993", 9007199254740993n],
  ["9007199254740992", 9007199254740992n],
  ["0x20000000000001", 9007199254740993n],
  ["0o400000000000000001", 9007199254740993n],
  [`{a: [1, ${LONG}]}`, { a: [1, BigInt(LONG)] }],
  ["9007199254740991", 9007199254740991],
  ["1.5", 1.5],
  ["1e300", 1e300],
])("a whole number keeps its digits where anything may stand: %s", (written, value) => {
  expect(constantOf(check(withDefault(written)))).toEqual(value);
});

it("it does so in JSON, from a variable, from an overriding variable and in a URI", () => {
  const json = JSON.stringify({
    r: { input: { static: "x", middlewares: [{ transform: { mapping: { id: { path: "$.id", default: 0 } } } }] } },
  });
  expect(constantOf(check(json.replace('"default":0', `"default":${LONG}`), {}, "json"))).toBe(BigInt(LONG));
  expect(constantOf(check(withDefault("$ID"), { ID: LONG }))).toBe(BigInt(LONG));
  const name = "MQB__R__INPUT__MIDDLEWARES__0__TRANSFORM__MAPPING__ID__DEFAULT";
  expect(constantOf(check(withDefault("0"), { [name]: LONG }))).toBe(BigInt(LONG));
  const uri = `static:?body=x|transform?mapping={"id":{"path":"$.id","default":${LONG}}}`;
  expect(endpointFromUri(uri, "input", registry)).toMatchObject({
    middlewares: [{ transform: { mapping: { id: { default: BigInt(LONG) } } } }],
  });
});

it("what is shown of it and what is made of it has the digits", () => {
  const { configuration, checked } = check(withDefault(LONG));
  const shown = listValues(configuration, checked).find(
    ({ path }) => path.at(-1) === "default" && path.includes("id"),
  )!;
  expect(exactJson(shown)).toContain(`"value":${LONG}`);
  expect(toCommand(configuration, checked, {}).command).toContain(`"default":${LONG}`);
});

it.each([
  [
    "r: {input: {static: x}, batch_size: 9007199254740993}",
    '"batch_size" takes a whole number from 1 to 100000000, not 9007199254740993',
  ],
  [
    "r: {input: {file: {path: p, max_message_bytes: 9007199254740993}}}",
    "takes a whole number from 1 to 1073741824, not 9007199254740993",
  ],
  [`r: {input: {static: {body: ${LONG}}}}`, `takes a text, not ${LONG}; write "${LONG}"`],
  [`r: {input: {static: {body: x, metadata: {id: ${LONG}}}}}`, `takes a text, not ${LONG}; write "${LONG}"`],
  [`r: {input: {file: {path: ${LONG}}}}`, `"path" of "file" takes a text, not ${LONG}; write "${LONG}"`],
  [`r: {input: {file: {path: p, delete: ${LONG}}}}`, `takes true or false, not ${LONG}`],
  [`r: {input: {file: {path: p, max_message_bytes: "$N"}}}`, `not ${LONG} (from N)`],
])("a field that cannot hold it names it: %s", (text, words) => {
  expect(check(text, { N: LONG }).lines).toEqual([expect.stringContaining(words)]);
});

it("a number of a million digits is shortened, and takes no time", () => {
  const [line] = check(`r: {input: {file: {path: p, max_message_bytes: ${"9".repeat(500_000)}}}}`).lines;
  expect(line).toMatch(/not 9{60}…$/);
});

it("exactJson writes what JSON.stringify writes, and bigints as numbers", () => {
  for (const value of [1, "a\uE0001\uE001", null, [true, { a: undefined, b: [] }], {}])
    expect(exactJson(value, 2)).toBe(JSON.stringify(value, undefined, 2));
  expect(exactJson(undefined)).toBe("null");
  expect(exactJson({ a: [2n ** 64n, "\uE0005\uE001x"] })).toBe(`{"a":[18446744073709551616,"\uE0005\uE001x"]}`);
});
