import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { expect, it } from "vitest";
import plugin from "../../src/index.ts";

function problems(more: Readonly<Record<string, unknown>>): string[] {
  const input = { sqlx: { url: "postgres://u@h/d", table: "t", publication: "p", ...more } };
  const checked = createBridge({ registry: createRegistry([standard, plugin]) }).check("r", {
    input,
    output: { null: {} },
  });
  return checked.problems.map(({ level, path, message }) => `${level} ${path} ${message}`);
}

it("an sqlx input with a publication is checked as the source of changes that it is", () => {
  expect(problems({ slot_name: "s", create_publication: true })).toEqual([]);
  const first = (more: Readonly<Record<string, unknown>>): string | undefined => {
    const all = problems(more);
    expect(all).toHaveLength(1);
    return all[0];
  };
  expect(first({ publication: "a-b" })).toMatch(/^error input,sqlx,publication .*no name of a publication/);
  expect(first({ slot_name: "Big" })).toMatch(/^error input,sqlx,slot_name .*no name of a replication slot/);
  expect(first({ url: "postgres://h/d" })).toMatch(/^error input,sqlx,url .*names no user/);
  expect(first({ url: "postgres://u@h/d?nosuch=1" })).toMatch(/^error input,sqlx,url .*nosuch/);
  expect(first({ tls: { cert_file: "c.pem" } })).toMatch(/^error input,sqlx,tls,?.* .*key_file/);
  expect(problems({ url: "postgres://h/d", username: "u", password: "p@w" })).toEqual([]);
});
