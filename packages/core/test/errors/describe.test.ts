import { describe, expect, it } from "vitest";
import { describeError } from "../../src/errors/mqb-error.ts";

describe("an error in one line", () => {
  it("is the messages of the chain", () => {
    expect(describeError(new Error("outer", { cause: new Error("inner", { cause: "root" }) }))).toBe(
      "outer: inner: root",
    );
  });

  it("says each link once, also one that its wrapper repeats", () => {
    const inner = new Error("refused");
    expect(describeError(new Error("cannot connect: refused", { cause: inner }))).toBe("cannot connect: refused");
    expect(describeError(new Error("a", { cause: new Error("b", { cause: new Error("a") }) }))).toBe("a: b");
  });

  it("ends in a circle of causes", () => {
    const error = new Error("a");
    error.cause = error;
    expect(describeError(error)).toBe("a");
  });

  it("says the errors of a failed connection to several addresses, which has no text of its own", () => {
    const error = new AggregateError([new Error("refused ::1"), new Error("refused 127.0.0.1")], "");
    expect(describeError(new Error("no broker", { cause: error }))).toBe("no broker: refused ::1, refused 127.0.0.1");
  });

  it.each([
    [new Error(""), "Error"],
    [new TypeError(""), "TypeError"],
    ["text", "text"],
    [null, "null"],
    [undefined, "undefined"],
    [7, "7"],
    [{ a: 1 }, '{"a":1}'],
    [{ message: "not an error" }, "not an error"],
  ])("is something for %s", (thrown, text) => {
    expect(describeError(thrown)).toBe(text);
  });

  it("is something for what JSON cannot say", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    expect(describeError(circle)).toBe("[object Object]");
  });
});
