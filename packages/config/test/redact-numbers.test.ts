import { checkRoute, createRegistry } from "@mqb/core";
import { defineEndpoint, definePlugin } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { checkConfiguration, createRedactor, loadConfiguration, renderProblem, secretsOfPlan } from "../src/index.ts";
import { INPUT, OUTPUT } from "./fake-structural.ts";

const BIG = 123456789012345678901n;

describe("a secret that is written as a number", () => {
  it.each([
    ["a number", 12345678],
    ["a large one", BIG],
    ["a negative one with a fraction", -1234.5],
  ])("%s is hidden in texts and values", (_, secret) => {
    const redactor = createRedactor();
    redactor.learn({ custom: { name: "mine", config: { password: secret, port: 5432 } } });
    expect(redactor.text(`failed with ${secret} at 5432`)).toBe("failed with *** at 5432");
    expect(redactor.json({ password: secret, list: [secret, 5432], text: `${secret}` })).toEqual({
      password: "***",
      list: ["***", 5432],
      text: "***",
    });
  });

  it("is hidden in a value that is the first thing to be written", () => {
    const redactor = createRedactor();
    redactor.learn({ token: 87654321 });
    expect(redactor.json([87654321])).toEqual(["***"]);
  });

  it("is hidden inside of a member with a secret name", () => {
    const redactor = createRedactor();
    redactor.learn({ credentials: { pins: [918273, 645546] }, custom_headers: { "x-pin": 192837 } });
    expect(redactor.text("918273 645546 192837")).toBe("*** *** ***");
  });

  it("is hidden in a value when it was told as a text", () => {
    const redactor = createRedactor();
    redactor.add("12345678");
    expect(redactor.json({ n: 12345678, other: 123456789 })).toEqual({ n: "***", other: 123456789 });
  });

  it("stays when it is too short, as a text does", () => {
    const redactor = createRedactor();
    redactor.learn({ password: 123 });
    expect([redactor.text("123 rows"), redactor.json({ rows: 123 })]).toEqual(["123 rows", { rows: 123 }]);
  });

  it.each(["max_cookies", "maxCookies", "token_ttl_seconds", "tokenTtlMs", "password_length"])(
    "is not what measures one: %s",
    (name) => {
      const redactor = createRedactor();
      redactor.learn({ [name]: 4096 });
      expect([redactor.text("4096 rows"), redactor.json(4096)]).toEqual(["4096 rows", 4096]);
    },
  );
});

describe("a number in a field that a schema marks", () => {
  const pin = z.unknown();
  const vault = defineEndpoint<{ pin: unknown }>({
    description: "",
    schema: z.strictObject({ pin: pin.meta({ secret: true }), more: z.array(pin).meta({ secret: true }).optional() }),
    input: INPUT,
    output: OUTPUT,
    check: (config) => [
      {
        level: "error",
        code: "VAULT_NO",
        path: [],
        message: `the vault refuses ${config.pin}`,
        hint: `not ${config.pin}`,
      },
    ],
  });
  const registry = createRegistry([definePlugin({ name: "vault", apiVersion: 1, endpoints: { vault } })]);

  it("is one of the secrets of its route", () => {
    const quiet = { ...vault, check: () => [] };
    const calm = createRegistry([definePlugin({ name: "vault", apiVersion: 1, endpoints: { vault: quiet } })]);
    const end = { vault: { pin: 12345678, more: [23456789n, "text"] } };
    const { plan, problems } = checkRoute(calm, "r", { input: end, output: end });
    expect(problems).toEqual([]);
    expect(secretsOfPlan(plan!).sort()).toEqual(["12345678", "23456789", "text"]);
  });

  it.each([["12345678"], [`${BIG}`], ['"12345678"']])("is not quoted by a problem: %s", (written) => {
    const text = `r: {input: {vault: {pin: x}}, output: {vault: {pin: ${written}}}}`;
    const loaded = loadConfiguration([{ name: "c.yml", text, format: "yaml" }], {});
    const { problems } = checkConfiguration(loaded, registry, { concurrency: 1, batch_size: 1 });
    const lines = problems.map((one) => renderProblem(one, { frame: true })).join("\n");
    expect(lines).toContain("the vault refuses ***; not ***");
    expect(lines).not.toContain(written.replaceAll('"', ""));
  });
});
