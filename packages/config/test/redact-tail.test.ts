import { expect, it } from "vitest";
import { createRedactor, redactUri } from "../src/index.ts";

const LITERALS = ['["a","b"]', '{"a b":{"c":[1,2]}}', '["say \\"hi\\""]', "[]", "{}"];
const TAIL = ' failed: "it" was {cut} [1], see http://h/?x=1 | more & more';

it.each(LITERALS)(
  "a literal in a parameter ends at its last bracket, and what follows in the text stays: %s",
  (literal) => {
    for (const text of [
      `read http://h/p?columns=${literal}${TAIL}`,
      `read "http://h/p?columns=${literal}"${TAIL}`,
      `read (http://h/p?columns=${literal}),${TAIL}`,
      `read http://h/p?columns=${literal}\nhttp://h/p?columns=${literal}${TAIL}`,
    ])
      expect(redactUri(text)).toBe(text);
  },
);

it.each([
  ['tls={"cert_password":"pw pw"}', 'tls={"cert_password":"***"}'],
  ['custom_headers={"x": "k 1"}', "custom_headers=***"],
  ['x={"a":{"api_key":"s3 cr3t"},"b":"}"}', 'x={"a":{"api_key":"***"},"b":"}"}'],
  ['x={"api_key":"s3\\"cr3t"}', 'x={"api_key":"***"}'],
  ['x={\n  "api_key": "s3 cr3t"\n}', 'x={"api_key":"***"}'],
])("a secret in a literal is hidden, and nothing behind it: %s", (literal, shown) => {
  expect(redactUri(`read mqtt://h/t?${literal}${TAIL}`)).toBe(`read mqtt://h/t?${shown}${TAIL}`);
  expect(redactUri(`read "mqtt://h/t?${literal}"${TAIL}`)).toBe(`read "mqtt://h/t?${shown}"${TAIL}`);
});

it.each([1, 2, 3])("so it is where the text was quoted %i times", (times) => {
  let line = JSON.stringify({ uri: 'mqtt://h/t?tls={"cert_password":"pw \\"pw\\" \\\\"}' });
  for (let time = 1; time < times; time++) line = JSON.stringify({ line, tail: "kept" });
  const shown = redactUri(`${line} and "this" too`);
  expect(shown).not.toContain("pw ");
  expect(shown).toMatch(/mqtt:\/\/h\/t\?tls=\*\*\*\\*"/);
  expect(shown.endsWith(' and "this" too')).toBe(true);
  if (times > 1) expect(shown).toContain("kept");
});

it("a literal that is broken off hides what could belong to it, and no more lines of other things", () => {
  expect(redactUri('x mqtt://h?tls={"cert_password":"pw pw')).toBe("x mqtt://h?tls=***");
  expect(redactUri('x mqtt://h?tls={"cert_password": 12 34, "b"\nnext line: "here"')).toBe(
    'x mqtt://h?tls=***\nnext line: "here"',
  );
  expect(redactUri('x "mqtt://h?tls={cert_password" is wrong: "really"')).toBe(
    'x "mqtt://h?tls=***" is wrong: "really"',
  );
  expect(redactUri('{"uri":"mqtt://h?tls={\\"cert_password\\":\\"pw p…","tail":"here"}')).toBe(
    '{"uri":"mqtt://h?tls=***","tail":"here"}',
  );
});

it("an encryption key ends where the URI does", () => {
  expect(redactUri('"file:x|encryption?key=AAAA&key_id=k1" was "read" to its end')).toBe(
    '"file:x|encryption?key=***&key_id=k1" was "read" to its end',
  );
  expect(redactUri('file:x|encryption?decrypt_keys={"old": "AAAA"}&key=BBBB was read')).toBe(
    "file:x|encryption?decrypt_keys=***&key=*** was read",
  );
});

it("a log line keeps its end behind a parameter", () => {
  const redactor = createRedactor();
  redactor.add("hunter22");
  expect(redactor.text('cannot read http://h/?columns=["hunter22"]: "no such table"')).toBe(
    'cannot read http://h/?columns=["***"]: "no such table"',
  );
});
