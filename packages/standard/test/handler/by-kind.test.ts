import { kindOf, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { handlerByKind } from "../../src/index.ts";

const of = (kind?: string): Message => new Message("x", kind === undefined ? undefined : new Map([["kind", kind]]));
const handlers = { a: () => new Message("from a"), b: async () => undefined };

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return expect.unreachable();
}

describe("a handler by kind", () => {
  it("picks by the metadata `kind`", async () => {
    const handle = handlerByKind(handlers);
    expect(((await handle(of("a"))) as Message).text()).toBe("from a");
    expect(await handle(of("b"))).toBeUndefined();
  });

  it("fails messages of an unknown kind, and of none, so that nothing is lost in silence", () => {
    const handle = handlerByKind(handlers);
    const unknown = thrown(() => handle(of("c")));
    expect(kindOf(unknown, "retryable")).toBe("permanent");
    expect(unknown).toMatchObject({
      code: "MQB_STANDARD_UNKNOWN_KIND",
      message: 'there is no handler for messages of kind "c"',
      hint: "handlers: a, b; add a fallback, or set onUnknownKind",
    });
    expect(thrown(() => handle(of()))).toMatchObject({ message: 'the message has no "kind" metadata' });
    expect(thrown(() => handle(of("constructor")))).toMatchObject({ code: "MQB_STANDARD_UNKNOWN_KIND" });
  });

  it("passes or drops them when it is told to", () => {
    const message = of("c");
    expect(handlerByKind(handlers, { onUnknownKind: "pass" })(message)).toBe(message);
    expect(handlerByKind(handlers, { onUnknownKind: "drop" })(message)).toBeUndefined();
  });

  it("gives them to the fallback first", () => {
    const fallback = new Message("fallback");
    const handle = handlerByKind(handlers, { fallback: () => fallback, onUnknownKind: "drop" });
    expect(handle(of("c"))).toBe(fallback);
    expect(handle(of())).toBe(fallback);
  });
});
