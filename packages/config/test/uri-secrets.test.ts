import { createRegistry } from "@mqb/core";
import { describeError, isMqbError, type Side } from "@mqb/core/plugin";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { describe, expect, it } from "vitest";
import {
  checkWithDefaults,
  endpointFromUri,
  knownNames,
  namesInUri,
  packageFor,
  parseUri,
  redactUri,
} from "../src/index.ts";
import { withCachedSchemas } from "./cached-schemas.ts";
import { fakePlugin } from "./fake-plugin.ts";
import { structural } from "./fake-structural.ts";

const MARKER = "Zq7mArKeR";
const registries = [
  createRegistry([fakePlugin, structural].map(withCachedSchemas), { packageFor }),
  createRegistry([standard, file].map(withCachedSchemas), { packageFor }),
];

/** A password with every character that means something in a URI, before, inside and behind the marker. */
const PASSWORDS = [
  "",
  "@",
  "/",
  "?",
  "#",
  "&",
  "|",
  ":",
  "=",
  "%40",
  "%26",
  "?a=",
  "&a=",
  "|retry",
  "/x?y=z&",
  ",",
].flatMap((odd) => [`${odd}${MARKER}`, `${MARKER}${odd}`, `ab${odd}${MARKER}${odd}cd`]);

/** URIs of every scheme that mqb knows, and of some that it does not, with the secret in every place. */
const SCHEMES = [...knownNames("scheme"), "db", "legs", "nosuch"];
const URIS = SCHEMES.flatMap((scheme, index) => [
  // Each scheme gets some of the passwords, all of them together every one.
  ...PASSWORDS.filter((_, at) => scheme === "db" || at % 23 === index % 23).map(
    (password) => `${scheme}://user:${password}@host:1234/name`,
  ),
  ...PASSWORDS.filter((_, at) => scheme === "db" || at % 46 === index % 46).flatMap((password) => [
    `${scheme}://:${password}@host/0?nosuch=1`,
    `${scheme}://user:${password}@h1,h2/db?tabel=x&format=cvs|nosuch`,
    `fanout:?to=null:&to=${scheme}://user:${encodeURIComponent(password)}@h/x%3Fnosuch=1`,
    `null:|dlq?endpoint=${scheme}://u:${encodeURIComponent(password)}@h`,
  ]),
  ...["token", "password", "secret_key", "X-Amz-Signature", "access_key", "authorization"]
    .filter((_, at) => scheme === "db" || at === index % 6)
    .flatMap((name) => [
      `${scheme}:x?${name}=${MARKER}`,
      `${scheme}://h/x?${name}=${MARKER}&${name}=${MARKER}|retry?${name}=${MARKER}`,
      `${scheme}:x?tls={"${name}":"${MARKER}","__proto__":1}`,
    ]),
  `${scheme}:x?custom_headers={"x-api-key":"${MARKER}"}|`,
]);
URIS.push(
  `file:x?sealing.key=${MARKER}&sealing.key=${MARKER}`,
  `file:x?encryption={"key":"${MARKER}"}&nosuch=1`,
  `file:x|encryption?key=${MARKER}`,
  `null:|encryption?decrypt_keys=${MARKER}&x=\${NOPE}`,
  `db://u:${MARKER}@h/d?table=\${NOPE}`,
  `db://u:${MARKER}@h/d?table=\${payload:x}`,
  `//u:${MARKER}@h/d`,
  `u:${MARKER}@h`,
  "$SECRET_URL?format=cvs",
  "$SECRET_URL|nosuch",
  "legs:?to=$SECRET_URL",
);
const ENVIRONMENT = { SECRET_URL: `nosuch://u:p|${MARKER}&x@h/y` };

/** Everything that the reading of a URI can say. */
function said(uri: string, sides: readonly Side[] = ["input", "output"]): string[] {
  const texts: string[] = [];
  const listen = (run: () => unknown): void => {
    try {
      run();
    } catch (error) {
      if (!isMqbError(error)) throw error;
      texts.push(error.message, describeError(error), error.hint ?? "");
    }
  };
  for (const side of sides) {
    listen(() => texts.push(parseUri(uri, side, ENVIRONMENT).shown));
    listen(() => namesInUri(parseUri(uri, side, ENVIRONMENT), side));
    for (const registry of registries) {
      listen(() => {
        const other = side === "input" ? { output: null } : { input: { static: "x" } };
        const route = { ...other, [side]: endpointFromUri(uri, side, registry, ENVIRONMENT) };
        const { checked } = checkWithDefaults(registry, "r", route, { concurrency: 1, batch_size: 1 });
        for (const { message, hint } of checked.problems) texts.push(message, hint ?? "");
      });
    }
  }
  return texts;
}

describe("what is said about a URI", () => {
  it("never holds a secret of it, wherever that stands and whatever is wrong", () => {
    const leaks: string[] = [];
    let count = 0;
    for (const [index, uri] of URIS.entries()) {
      for (const text of said(uri, [index % 2 === 0 ? "input" : "output"])) {
        count += 1;
        if (text.toLowerCase().includes(MARKER.toLowerCase())) leaks.push(`${uri}\n   ${text}`);
      }
    }
    expect(leaks).toEqual([]);
    // With nothing said there would be nothing to see.
    expect(count).toBeGreaterThan(URIS.length * 3);
  });

  it("still names what is no secret", () => {
    const message = (uri: string): string => said(uri).join("\n");
    expect(message("amqp://u:secret@h/v|fliter?mail=='a@b'")).toContain('"amqp:"');
    expect(message("db://host:5432/d|fliter?mail=='a@b'")).toContain('unknown middleware "fliter"');
    expect(message("db://u:secret@h/d?tabel=x")).toContain('"tabel"');
    expect(message("file:x?partition_key=a")).toContain('"partition_key"');
  });
});

describe("a URI that is shown", () => {
  it.each(knownNames("scheme"))("%s: loses its password, and keeps the rest", (scheme) => {
    expect(redactUri(`${scheme}://user:${MARKER}@host:1234/name?table=t`)).toBe(
      `${scheme}://user:***@host:1234/name?table=t`,
    );
    expect(redactUri(`fanout:?to=${scheme}://user:${MARKER}@h/n&to=null:`)).toBe(
      `fanout:?to=${scheme}://user:***@h/n&to=null:`,
    );
    expect(redactUri(`null:|dlq?endpoint=${encodeURIComponent(`${scheme}://u:${MARKER}@h/n?a=1`)}`)).not.toContain(
      MARKER,
    );
  });
});
