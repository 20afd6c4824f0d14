import { describe, expect, it } from "vitest";
import { asError, codeOf, isExhausted, isMqbError, kindOf, MqbError } from "../../src/errors/mqb-error.ts";

describe("the kind of an error", () => {
  it("survives wrapping", () => {
    const error = new MqbError("MQB_X_Y", "config", "no");
    const wrapped = new Error("outer", { cause: new Error("middle", { cause: error }) });
    expect(kindOf(wrapped, "retryable")).toBe("config");
    expect(codeOf(wrapped)).toBe("MQB_X_Y");
  });

  it("is that of the outermost mqb error", () => {
    const inner = new MqbError("A", "permanent", "a");
    expect(kindOf(new MqbError("B", "connection", "b", { cause: inner }), "retryable")).toBe("connection");
  });

  it("is read from a boolean `retryable`", () => {
    expect(kindOf(Object.assign(new Error("x"), { retryable: false }), "retryable")).toBe("permanent");
    expect(kindOf(Object.assign(new Error("x"), { retryable: true }), "connection")).toBe("retryable");
    expect(kindOf(Object.assign(new Error("x"), { retryable: "yes" }), "connection")).toBe("connection");
  });

  it.each([[null], [undefined], [0], ["text"], [{}], [new Error("x")]])("is the fallback for %j", (thrown) => {
    expect(kindOf(thrown, "connection")).toBe("connection");
    expect(codeOf(thrown)).toBeUndefined();
  });

  it("is found in a circle of causes", () => {
    const a = new Error("a");
    const b = new Error("b", { cause: a });
    a.cause = b;
    expect(kindOf(a, "end")).toBe("end");
  });
});

describe("an mqb error", () => {
  it("is recognised by its brand, also one of another copy of core", () => {
    const foreign = Object.assign(new Error("x"), { code: "MQB_X", kind: "permanent" });
    expect(isMqbError(foreign)).toBe(false);
    Object.defineProperty(foreign, Symbol.for("mqb.error"), { value: true });
    expect(isMqbError(foreign)).toBe(true);
    expect(kindOf(new Error("outer", { cause: foreign }), "retryable")).toBe("permanent");
  });

  it("says when retries were used up, also through a wrapper", () => {
    const error = new MqbError("A", "retryable", "a", { exhausted: true });
    expect(isExhausted(new Error("outer", { cause: error }))).toBe(true);
    expect(isExhausted(new MqbError("A", "retryable", "a"))).toBe(false);
  });

  it("has only the options that it was given", () => {
    const error = new MqbError("A", "retryable", "a");
    expect("hint" in error).toBe(false);
    expect("cause" in error).toBe(false);
    expect(new MqbError("A", "retryable", "a", { retryAfterMs: 5 }).retryAfterMs).toBe(5);
  });
});

describe("anything thrown", () => {
  it("becomes an error", () => {
    const error = new Error("x");
    expect(asError(error)).toBe(error);
    expect(asError("x").message).toBe("thrown value: x");
    expect(asError(null).message).toBe("thrown value: null");
    expect(asError({ a: 1 }).message).toBe('thrown value: {"a":1}');
  });
});
