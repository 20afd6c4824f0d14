import { describe, expect, it } from "vitest";
import { checkConfiguration, loadConfiguration, toCommand } from "../src/index.ts";
import { linesOf } from "./lint/linted.ts";
import { registryWithStubs } from "./stubs/registry.ts";
import { DEFAULTS } from "./support-load.ts";

const KEYS = ["order.new", "a[0]", "x.y[1].z", "[0]", ".", "a..b", "order", "1", "é ü"];

/** A switch with one case, whose lines stand below the key. */
const withCase = (key: string, below: string): string =>
  `r:\n  input: {static: x}\n  output:\n    switch:\n      metadata_key: kind\n      cases:\n        order: null\n        ${JSON.stringify(key)}:\n          ${below}\n`;

describe.each(KEYS.filter((key) => key !== "order"))("below the case %j", (key) => {
  const place = (below: string, word: string): string =>
    `c:9:${11 + below.indexOf(word)} r.output.switch.cases.${key}.`;

  it.each([
    ["an unknown field", "file: {path: a, pth: b}", "pth"],
    ["a wrong value", "file: {path: a, fsync: 3}", "3"],
    ["an unknown endpoint", "fiel: {path: a}", "fiel"],
    ["a fault in a middleware", "{file: {path: a}, middlewares: [{retry: {max_attemps: 1}}]}", "max_attemps"],
    [
      "a fault in a dead letter file",
      "{file: {path: a}, middlewares: [{dlq: {endpoint: {file: {path: b, pth: a}}}}]}",
      "pth",
    ],
    ["a fault further inside", `switch: {metadata_key: k, cases: {"b.c": {file: {path: a, pth: b}}}}`, "pth"],
    ["a lint", "file: {path: a.gz}", "path"],
  ])("%s is told where it stands", (_, below, word) => {
    const lines = linesOf(withCase(key, below));
    expect(lines[0]).toContain(` ${place(below, word)}`);
  });
});

it("a secret below a key with a dot is taken out of what is written down", async () => {
  const registry = await registryWithStubs();
  const text = withCase("order.new", "mqtt: {url: 'mqtt://h', topic: t, username: u, password: hunter22}");
  const configuration = loadConfiguration([{ name: "c", text, format: "yaml" }], {});
  const checked = checkConfiguration(configuration, registry, DEFAULTS);
  const { command, requiredEnv } = toCommand(configuration, checked, {});
  expect(command).not.toContain("hunter22");
  expect(requiredEnv).toEqual(["MQB_SECRET_R_OUTPUT_SWITCH_CASES_ORDER_NEW_MQTT_PASSWORD"]);
});
