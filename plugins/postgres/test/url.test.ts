import { describe, expect, it } from "vitest";
import { readAddress, target } from "../src/client/url.ts";

describe("a URL", () => {
  it.each(["/", "?", "#"])("shows nothing of a password with a %s that is not encoded", (sign) => {
    for (const password of [`12${sign}geheim`, `12${sign}a/geheim`, `12${sign}a?geheim=1`]) {
      const url = `postgres://user:${password}@db/shop`;
      expect(readAddress(url)).toContain("percent-encoded");
      expect(readAddress(url)).not.toContain("geheim");
      expect(target(url)).toBe("postgres");
    }
  });

  it("has such signs in its parts when they are encoded", () => {
    const url = "postgres://us%40er:p%2F%3F%23%40w@db/sh%40op?application_name=a%40b";
    expect(readAddress(url)).toMatchObject({
      username: "us@er",
      password: "p/?#@w",
      database: "sh@op",
      applicationName: "a@b",
    });
  });
});
