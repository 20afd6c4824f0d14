import { codeOf, describeError, kindOf, Message } from "@mqb/core/plugin";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { command, event, handlerByKind, jsonMessage } from "../src/index.ts";

const order = z.strictObject({ id: z.number(), items: z.array(z.string()) });
const received = new Message(
  '{"id":1,"items":["a"]}',
  new Map([["trace", "t"]]),
  "00000000-0000-4000-8000-000000000001",
);

async function failure(run: () => unknown): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  return expect.unreachable();
}

describe("a command", () => {
  it.each([
    ["a text", "answer", "answer"],
    ["bytes", Buffer.from([1, 2]), "\x01\x02"],
    ["an object", { total: 3 }, '{"total":3}'],
    ["a list", [1, 2], "[1,2]"],
    ["a number", 7, "7"],
    ["false", false, "false"],
  ])("publishes %s as a message with the id and the metadata of the one that it came of", async (_, given, payload) => {
    const made = (await command(() => given)(received)) as Message;
    expect(made.text()).toBe(payload);
    expect(made.id).toBe(received.id);
    expect([...made.metadata]).toEqual([["trace", "t"]]);
  });

  it("publishes a message as it is, and nothing when it returns nothing", async () => {
    const answer = new Message("x");
    expect(await command(() => answer)(received)).toBe(answer);
    for (const nothing of [undefined, null]) expect(await command(() => nothing)(received)).toBeUndefined();
    expect(await command(async () => {})(received)).toBeUndefined();
  });

  it("makes no promise when the function makes none", () => {
    expect(command(() => "x")(received)).toBeInstanceOf(Message);
    expect(command(order, () => undefined)(received)).toBeUndefined();
    expect(command(async () => "x")(received)).toBeInstanceOf(Promise);
  });

  it("fails for good when no message can be made of what it returns", async () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const wrong of [() => {}, circle]) {
      const error = await failure(() => command(() => wrong)(received));
      expect(codeOf(error)).toBe("MQB_HANDLERS_NO_MESSAGE");
      expect(kindOf(error, "retryable")).toBe("permanent");
    }
  });

  it("fails as the function does", async () => {
    const cause = Object.assign(new Error("no"), { retryable: false });
    expect(await failure(() => command(() => Promise.reject(cause))(received))).toBe(cause);
    expect(await failure(() => event(() => Promise.reject(cause))(received))).toBe(cause);
  });
});

describe("an event handler", () => {
  it("publishes nothing, whatever it returns, and waits for its end", async () => {
    const seen: string[] = [];
    expect(event((message) => seen.push(message.text()))(received)).toBeUndefined();
    const late = event(async (message) => {
      await Promise.resolve();
      seen.push(message.id);
    })(received);
    expect(seen).toHaveLength(1);
    expect(await late).toBeUndefined();
    expect(seen).toEqual([received.text(), received.id]);
  });
});

describe("a handler with a schema", () => {
  it("gets the value and the message, with the types of the schema", async () => {
    const handle = command(order, (value, message) => {
      expectTypeOf(value).toEqualTypeOf<{ id: number; items: string[] }>();
      expectTypeOf(message).toEqualTypeOf<Message>();
      return `${value.id} ${value.items[0]} ${message.metadata.get("trace")}`;
    });
    expect(((await handle(received)) as Message).text()).toBe("1 a t");
  });

  it("may change the value, and take time for it", async () => {
    const later = z.object({ id: z.number() }).transform(async ({ id }) => id * 2);
    const seen: number[] = [];
    await event(later, (doubled) => {
      expectTypeOf(doubled).toEqualTypeOf<number>();
      seen.push(doubled);
    })(received);
    expect(seen).toEqual([2]);
  });

  it.each([
    ["not json", "MQB_HANDLERS_NOT_JSON", /no JSON/],
    ['{"id":"1","items":[2]}', "MQB_HANDLERS_INVALID", /id: .*items\.0: /],
    ['{"id":1,"items":[],"more":1}', "MQB_HANDLERS_INVALID", /more/],
  ])("refuses %s for good, and says why", async (payload, code, reason) => {
    const message = new Message(payload);
    const error = await failure(() => command(order, () => expect.unreachable())(message));
    expect(codeOf(error)).toBe(code);
    expect(kindOf(error, "retryable")).toBe("permanent");
    expect(describeError(error)).toMatch(reason);
    expect(describeError(error)).toContain(message.id);
  });

  it("parses the payload as it is told to", async () => {
    const parse = (message: Message) => ({ id: Number(message.text()), items: [] });
    const handle = command(order, ({ id }) => `${id}`, { parse });
    expect(((await handle(new Message("12"))) as Message).text()).toBe("12");
  });

  it("is picked by the kind of a message", async () => {
    const handle = handlerByKind({
      order: command(order, ({ id }) => jsonMessage({ done: id }, { kind: "done" })),
      ping: event(() => {}),
    });
    const made = (await handle(jsonMessage({ id: 4, items: [] }, { kind: "order" }))) as Message;
    expect(made.text()).toBe('{"done":4}');
    expect(made.metadata.get("kind")).toBe("done");
    expect(await handle(jsonMessage({}, { kind: "ping" }))).toBeUndefined();
    expect(codeOf(await failure(() => handle(jsonMessage({}, { kind: "other" }))))).toBe("MQB_STANDARD_UNKNOWN_KIND");
  });

  it("is checked by the compiler, and where there is none when it is made", () => {
    // @ts-expect-error the value has no such member
    command(order, (value) => value.total);
    // @ts-expect-error a schema is needed
    expect(() => command({}, () => undefined)).toThrow(TypeError);
    // @ts-expect-error what is no function handles nothing
    expect(() => event(order, "x")).toThrow(TypeError);
    // @ts-expect-error a function is needed
    expect(() => event()).toThrow(TypeError);
    // @ts-expect-error a bigint is no message
    command(() => 1n);
  });
});

describe("a message made of a value", () => {
  it.each([
    [{ message_id: "00000000-0000-4000-8000-000000000009", id: 3 }, "00000000-0000-4000-8000-000000000009"],
    [{ id: 15 }, "00000000-0000-0000-0000-00000000000f"],
    [{ _id: { $oid: "00000000000000000000000f" } }, "00000000-0000-0000-0000-00000000000f"],
    [{ id: "0x1f" }, "00000000-0000-0000-0000-00000000001f"],
  ])("has the id of %j", (value, id) => {
    expect(jsonMessage(value).id).toBe(id);
  });

  it.each([[{ id: -1 }], [{ id: 1.5 }], [{ id: null }], [[1]], [null], ["text"], [Object.create({ id: 1 })]])(
    "has a fresh id where %j has none",
    (value) => {
      expect(jsonMessage(value).id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    },
  );

  it("has the metadata and the id that are given", () => {
    const id = "00000000-0000-4000-8000-000000000002";
    for (const metadata of [{ a: "1" }, new Map([["a", "1"]])]) {
      const message = jsonMessage({ id: 1 }, { id, metadata, kind: "k" });
      expect(message.id).toBe(id);
      expect([...message.metadata]).toEqual([
        ["a", "1"],
        ["kind", "k"],
      ]);
    }
  });
});
