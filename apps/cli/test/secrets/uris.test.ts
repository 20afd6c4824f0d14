import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { scratchFolder } from "../support/cli.ts";
import { leaks, SECRETS } from "./documents.ts";
import { told } from "./told.ts";

const STUBS = fileURLToPath(new URL("failing-stubs.ts", import.meta.url));
const scratch = scratchFolder();
afterAll(() => scratch.remove());

/** Where a secret may stand in a URI, with a fault and without one. */
const PLACES: readonly (readonly [string, (secret: string, encoded: string) => string])[] = [
  ["the password of a URL", (_, encoded) => `postgres://user:${encoded}@h:1/db?table=t`],
  ["the password of a URL, written as it is", (secret) => `amqp://user:${secret}@h:1/q?queue=t`],
  ["the password of a URL with a slip in a parameter", (secret) => `postgres://user:${secret}@h/db?tabel=t`],
  ["the password of a URL with a wrong value", (_, encoded) => `kafka://user:${encoded}@h?topic=t&partitions=ten`],
  ["the password of a URL with an unknown middleware", (secret) => `nats://user:${secret}@h?subject=s|midleware`],
  ["the password of an unknown scheme", (secret) => `nosuch://user:${secret}@h/x`],
  ["a token in a URL", (_, encoded) => `nats://${encoded}@h:4222?subject=s`],
  ["a field", (_, encoded) => `nats://h?subject=s&token=${encoded}&password=${encoded}`],
  ["a field that is misspelt", (_, encoded) => `nats://h?subject=s&tokn_secret=${encoded}`],
  ["a field written twice", (_, encoded) => `kafka://h?topic=t&password=${encoded}&password=${encoded}`],
  ["a JSON literal", (_, encoded) => `kafka://h?topic=t&tls={"cert_password":"${encoded}"}`],
  ["a member of a field", (_, encoded) => `kafka://h?topic=t&tls.cert_password=${encoded}`],
  ["a header", (_, encoded) => `https://h/x?custom_headers={"x-api-key":"${encoded}","authorization":"${encoded}"}`],
  ["a header by name", (_, encoded) => `https://h/x?custom_headers.x-api-key=${encoded}`],
  ["a parameter of the driver", (_, encoded) => `mongodb://h/db?collection=c&authSecret=${encoded}`],
  [
    "a URI in a parameter",
    (_, encoded) => `kafka://h?topic=t|dlq?endpoint=${encodeURIComponent(`amqp://u:${encoded}@h?queue=q`)}`,
  ],
  [
    "a URI in a parameter, with a slip in it",
    (_, encoded) => `fanout:?to=${encodeURIComponent(`amqp://u:${encoded}@h?queue=q`)}&too=null:`,
  ],
  ["a variable", () => "$SECRET_URI"],
  ["a variable, as the password", () => "postgres://user:${SECRET}@h/db?table=t"],
  ["a variable, as a field", () => "nats://h?subject=s&token=${SECRET}"],
  ["a variable beside one that is not set", () => "nats://u:${SECRET}@h?subject=${NOT_SET}"],
];
const LEVELS = ["trace", "info", "off", "warn"];

describe("neither a copy nor init says a part of a secret that stands in", () => {
  it.each(PLACES)(
    "%s",
    async (place, uriOf) => {
      const lines: string[] = [];
      let silent = 0;
      for (const [index, secret] of SECRETS.entries()) {
        const encoded = encodeURIComponent(secret);
        const uri = uriOf(secret, encoded);
        const cwd = join(scratch.path, `${place}-${index}`.replace(/\W/g, "_"));
        mkdirSync(cwd);
        const env = {
          SECRET: encoded,
          SECRET_URI: `amqp://user:${encoded}@h:1/q?queue=t`,
          RUST_LOG: LEVELS[index % LEVELS.length]!,
        };
        const commands = [
          ["copy", uri, "null:", "--drain", "-v"],
          ["copy", "static:?body=x", uri, "--drain", "--limit", "1"],
          ["copy", "--from", uri, "--to", uri, "--drain", "--filter", "(", "-v"],
          ["copy", uri, "null:", "--resume"],
          ["init", "--from", uri, "--to", "null:", "--out", "-"],
          ["init", "--from", "static:?body=x", "--to", uri, "--out", "c.yml"],
          // In the place of something else.
          ["run", "-c", uri],
          [uri],
        ];
        for (const command of commands) {
          const { stdout, stderr } = await told([...command, "--plugin", STUBS], { cwd, env });
          const file = join(cwd, "c.yml");
          const written = existsSync(file) ? readFileSync(file, "utf8") : "";
          rmSync(file, { force: true });
          if (stdout + stderr + written === "") silent += 1;
          lines.push(...leaks(stdout, stderr, written).map((line) => `${command.slice(0, 2).join(" ")}: ${line}`));
        }
      }
      expect(lines).toEqual([]);
      expect(silent).toBe(0);
    },
    60_000,
  );
});
