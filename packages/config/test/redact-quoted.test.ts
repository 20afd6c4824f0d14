import { inspect } from "node:util";
import { expect, it } from "vitest";
import { createRedactor } from "../src/index.ts";

const SECRETS = [`a"b\\c`, "line\nline", "tab\tü𝄞", `it's "both" \\`, "per%cent&=", "sl/ash?#@"];

it.each(SECRETS)("a secret is hidden however a message quotes it: %j", (secret) => {
  const redactor = createRedactor();
  redactor.add(secret);
  const quotes = [
    JSON.stringify({ secret }),
    inspect({ secret }),
    inspect(secret),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  ];
  for (const quoted of quotes)
    expect(redactor.text(quoted)).toMatch(/^(?:\{ ?"?secret"?: ?)?["'`]?\*{3}["'`]?(?: ?\})?$/);
});
