import { batchOf, Message } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import { describe, expect, test } from "vitest";
import { bothForms } from "./messages.ts";

const { predicate } = expression.expressions!;
const ROWS = [
  '{"amount":25,"tier":"free","tags":["a","b"],"active":true,"note":null,"order":{"status":"new"},"zip":"01234"}',
  '{"amount":12500,"tier":"pro","tags":["b"],"active":false,"note":"urgent","order":{"status":"refunded"},"zip":"1234"}',
  '{"amount":"50","tier":"pro","tags":[],"active":true,"note":"later","order":{"status":"new"}}',
];

function matching(source: string, payloads: readonly string[]): number[] {
  const found = bothForms(payloads).map((batch) => predicate(source).test(batch));
  expect(found[0]).toEqual(found[1]);
  expect(found[0]!.failed).toBeUndefined();
  return [...found[0]!.matched].map((index) => index + 1);
}

describe("a test of messages", () => {
  test.each([
    ["amount>100", [2]],
    ["amount>=50", [2, 3]],
    ["amount>20 and amount<100", [1, 3]],
    ["amount>20 && amount<100", [1, 3]],
    ["tier=='pro'", [2, 3]],
    ["tier!='pro'", [1]],
    ['tier in ["pro","free"]', [1, 2, 3]],
    ["startsWith(tier,'p')", [2, 3]],
    ["contains(note,'urgen')", [2]],
    ["note==null", [1]],
    ["active", [1, 3]],
    ["not active", [2]],
    ["len(tags)>1", [1]],
    ["order.status=='new'", [1, 3]],
    ["amount>100 or tier=='free'", [1, 2]],
    ["amount>100 || tier=='free'", [1, 2]],
    ['zip == "01234" or missing == null', [1, 2, 3]],
    ['zip == "01234"', [1]],
    ["100 < amount", [2]],
    ["amount > -1", [1, 2, 3]],
    ["missing > 1", []],
    ["order > 1", []],
    ["$root.amount == 12500", [2]],
  ])("%s keeps the rows %j", (source, rows) => expect(matching(source, ROWS)).toEqual(rows));

  test("compares integers exactly", () => {
    const ids = ["1780921717355446271", "1780921717355446272", "1780921717355446273"].map((id) => `{"id":${id}}`);
    expect(matching("id > 1780921717355446272", ids)).toEqual([3]);
    expect(matching("id == 1780921717355446272", ids)).toEqual([2]);
    expect(matching("id <= 1780921717355446271", ids)).toEqual([1]);
  });

  test("takes all writings of a number for the same, and no text for a number in a list", () => {
    const rows = ['{"status":0}', '{"status":0.0}', '{"status":-0.0}', '{"status":"0"}', '{"status":2e0}'];
    expect(matching("status in [0, 2]", rows)).toEqual([1, 2, 3, 5]);
    expect(matching("status == 0", rows)).toEqual([1, 2, 3, 4]);
  });

  test("reads metadata as text, which a numeric literal makes a number", () => {
    const message = (metadata: Record<string, string>) => new Message("no json", new Map(Object.entries(metadata)));
    const batch = batchOf([
      message({ code: "404", kind: "a" }),
      message({ code: "99", kind: "a" }),
      message({ code: "4e2", kind: "a" }),
      message({ code: " 401", kind: "a" }),
      message({ code: "404", kind: "b" }),
    ]);
    const { matched, failed } = predicate("meta.code >= 400 and meta.kind == 'a'").test(batch);
    expect(failed).toBeUndefined();
    expect([...matched]).toEqual([0, 2, 3]);
    expect([...predicate("number(meta.code) < 100").test(batch).matched]).toEqual([1]);
  });

  test.each(["not json", "[1]", '"text"', "", '{"amount":1', '{"amount":1}x'])(
    "fails for the payload %j",
    (payload) => {
      for (const batch of bothForms([payload, '{"amount":30}'])) {
        const { matched, failed } = predicate("amount > 20").test(batch);
        expect([...matched]).toEqual([1]);
        expect(failed).toEqual([
          { index: 0, error: expect.objectContaining({ code: "MQB_EXPRESSION_NOT_AN_OBJECT" }) },
        ]);
      }
    },
  );

  test("fails where it gives no boolean, and where a text is no number", () => {
    const [batch] = bothForms(['{"amount":1}', '{"amount":"abc"}']);
    expect(predicate("amount + 1").test(batch!).failed).toHaveLength(2);
    expect(predicate("amount > 20").test(batch!).failed).toEqual([
      { index: 1, error: expect.objectContaining({ code: "MQB_EXPRESSION_EVALUATION" }) },
    ]);
  });

  test("fails for too much work and for no boolean, whatever else a field lacks", () => {
    const [batch] = bothForms(['{"tags":["a"],"amount":1}']);
    expect(predicate("count([1..2000000], # > 0) > 5 and tags != null").test(batch!).failed).toEqual([
      { index: 0, error: expect.objectContaining({ code: "MQB_EXPRESSION_TOO_MUCH" }) },
    ]);
    expect(predicate("missing == null and tags != null ? amount : false").test(batch!).failed).toEqual([
      { index: 0, error: expect.objectContaining({ code: "MQB_EXPRESSION_NOT_A_BOOLEAN" }) },
    ]);
    expect(matching("tags", ['{"tags":["a"]}', '{"tags":true}', "{}"])).toEqual([2]);
  });

  test("no name reaches a prototype", () => {
    expect(matching("__proto__ == null and constructor == null and toString == null", ['{"a":1}'])).toEqual([1]);
    expect(matching("order.constructor == null", ['{"order":{}}'])).toEqual([1]);
  });
});

describe("an expression that cannot be compiled", () => {
  test.each([
    ["amount >", "the expression ends too early, at column 9\n"],
    ["amount > > 1", '">" is not expected here'],
    ["amount & 1", '"&" is not expected here'],
    ["foo(amount)", 'no function "foo"'],
    ["len(a, b)", "len takes 1 input, not 2"],
    ["matches(a, '(')", "invalid regular expression"],
    ["'abc", "a text that is not closed"],
    ["", "the expression ends too early"],
    [`${"(".repeat(5000)}1${")".repeat(5000)}`, "nests too deep"],
    [`${"not ".repeat(5000)}true`, "nests too deep"],
    [`true${" or true".repeat(6000)}`, "more than 1000 operators in a row"],
  ])("%s names the place", (source, reason) => {
    expect(() => predicate(source)).toThrow(
      expect.objectContaining({
        code: "MQB_EXPRESSION_SYNTAX",
        kind: "config",
        message: expect.stringContaining(reason),
      }),
    );
  });

  test("shows the part of a long one that is wrong", () => {
    const source = `${"amount > 1 and ".repeat(500)} x y`;
    let message = "";
    try {
      predicate(source);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.length).toBeLessThan(500);
    expect(message).toMatch(/x y\n +\^$/);
  });

  test("shows the column", () => {
    expect(() => predicate("amount > 5 andd x")).toThrow(
      /^"andd" is not expected here, at column 12 of the expression; did you mean "and"\?\n {2}amount > 5 andd x\n {13}\^/,
    );
  });

  test("a single = compares nothing and is refused", () => {
    expect(() => predicate("amount = 100")).toThrow(
      expect.objectContaining({
        code: "MQB_EXPRESSION_NO_TEST",
        kind: "config",
        hint: expect.stringContaining("use =="),
      }),
    );
    expect(() => predicate("limit = 100; amount > limit")).not.toThrow();
  });

  test.each(["items[0].qty > 1", "a.b[2] == null"])("positions in lists are refused: %s", (source) => {
    expect(() => predicate(source)).toThrow(
      expect.objectContaining({ code: "MQB_EXPRESSION_INDEXED", kind: "config" }),
    );
  });
});
