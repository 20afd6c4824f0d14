import { describe, expect, it } from "vitest";
import { createRedactor, redactUri } from "../src/index.ts";
import { growth, MOST, PATIENCE_MS } from "./growth.ts";

describe("hiding secrets takes time in proportion to the text", () => {
  it.each([
    ["one word", "a", ""],
    ["one word before a URL", "a", "://u:pw12@h"],
    ["colons and slashes", "://", "@"],
    ["schemes without hosts", "a://", "@"],
    ["URLs in one word", "a://u:p@h/", ""],
    ["URLs in one word, without an @", "a://h:80/x?", ""],
    ["URLs with ports before one @", "a://h:1/x/", "?m=a@b"],
    ["URLs in parameters", "a://u:p@h?x=", ""],
    ["a host and parameters without ampersands", "?a=", "&@"],
    ["parameters without values", "&a", ""],
    ["marks", "?&|", ""],
    ["at signs", "@", ""],
    ["middlewares", "|encryption?key=", ""],
    ["open lists", "?a=[", ""],
    ["open lists with an open text", '?a=["', ""],
    ["open lists that a quote breaks off", '?a=[x"', ""],
    ["open lists that a line breaks off", "?a=[\n", ""],
    ["open lists on lines of their own", "?a=[\n[", ""],
    ["literals that an escaped quote breaks off", '?a=[\\"x"', ""],
    ["backslashes in a literal", "\\", ""],
    ["encoded marks", "%25", ""],
    ["encoded URIs", "?a=b%3A%2F%2Fu%3Ap%40h", ""],
    ["words", "a b:", ""],
    ["pairs", "a=b;", ""],
    ["semicolons", "; ", ""],
    ["pairs without an end", ' "a=', ""],
  ])(
    "for %s",
    (_, unit, tail) => {
      const redactor = createRedactor();
      redactor.add("hunter22");
      expect(growth(redactUri, unit, tail)).toBeLessThan(MOST);
      expect(growth(redactor.text, `a://h:1/${unit}`, tail)).toBeLessThan(MOST);
      const learn = (text: string): void => {
        redactor.learn({ text });
        // That is when it is looked at.
        redactor.text("");
      };
      expect(growth(learn, unit, tail)).toBeLessThan(MOST);
    },
    PATIENCE_MS,
  );
});

it("finds secrets behind a URL without any in the same word", () => {
  expect(redactUri("http://h/a,nats://u:pw12@h")).toBe("http://h/a,nats://u:***@h");
  expect(redactUri("http://h/a?next=https://u:pw12@h")).toBe("http://h/a?next=https://u:***@h");
});
