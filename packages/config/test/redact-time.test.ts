import { describe, expect, it } from "vitest";
import { createRedactor, redactUri } from "../src/index.ts";

const LENGTH = 20_000;
const TIMES = 20;
/** Twenty times the text takes twenty times as long, and more on a busy machine. Squared it would be four hundred. */
const MOST = 120;

/** Of the processor, so that whoever else is busy does not count. */
function milliseconds(work: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(1, Math.min(...times));
}

function growth(redact: (text: string) => unknown, unit: string, tail: string): number {
  const long = (length: number) => `${unit.repeat(Math.ceil(length / unit.length))}${tail}`;
  return milliseconds(() => redact(long(TIMES * LENGTH))) / milliseconds(() => redact(long(LENGTH)));
}

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
    ["encoded marks", "%25", ""],
    ["encoded URIs", "?a=b%3A%2F%2Fu%3Ap%40h", ""],
    ["words", "a b:", ""],
  ])("for %s", (_, unit, tail) => {
    const redactor = createRedactor();
    redactor.add("hunter22");
    expect(growth(redactUri, unit, tail)).toBeLessThan(MOST);
    expect(growth(redactor.text, `a://h:1/${unit}`, tail)).toBeLessThan(MOST);
    expect(growth((text) => redactor.learn({ text }), unit, tail)).toBeLessThan(MOST);
  });
});

it("finds secrets behind a URL without any in the same word", () => {
  expect(redactUri("http://h/a,nats://u:pw12@h")).toBe("http://h/a,nats://u:***@h");
  expect(redactUri("http://h/a?next=https://u:pw12@h")).toBe("http://h/a?next=https://u:***@h");
});
