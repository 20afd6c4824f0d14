import { batchOf, Message } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import { expect, test } from "vitest";

const { predicate } = expression.expressions!;

function absent(source: string, payload: string): readonly string[] {
  const message = new Message(payload, new Map([["kind", "a"]]));
  return predicate(source).absent!(batchOf([message]), 0);
}

test.each<[string, readonly string[]]>([
  ["amout > 3", ["amout"]],
  ["amount > 3 and order.state == 'new'", ["order.state"]],
  ["note == null", []],
  ["contains(tags, 'x') and flag", ["flag"]],
  ["meta.kind == 'a' or meta.knd == 'a'", ["meta.knd"]],
  ['meta["kind"] == "a" and amount > 1', []],
  ["$root.amount > 1", []],
])("%s reads what a message has not: %j", (source, names) => {
  const payload = '{"amount":5,"order":{"status":"new"},"note":null,"tags":[]}';
  expect(absent(source, payload)).toEqual(names);
});

test("a payload that is no object is asked for metadata alone", () => {
  expect(absent("amount > 3 and meta.x == 'a'", "[1]")).toEqual(["meta.x"]);
});
