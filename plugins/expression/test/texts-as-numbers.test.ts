import { batchOf, Message } from "@mqb/core/plugin";
import expression from "@mqb/expression";
import { expect, test } from "vitest";

const { predicate } = expression.expressions!;

function failure(source: string, payload: string, metadata?: Record<string, string>): unknown {
  const message = new Message(payload, metadata && new Map(Object.entries(metadata)));
  return predicate(source).test(batchOf([message])).failed?.[0]?.error;
}

const ROW = '{"amount":"s3cr3t","limit":"100","order":{"total":"n/a"},"count":3}';

test.each([
  ["amount > 100", "amount is a text that writes no number, and > compares it with one"],
  ["100 <= order.total", "order.total is a text that writes no number, and <= compares it with one"],
  ["meta.size > 1", "meta.size is a text that writes no number, and > compares it with one"],
  [
    "amount > limit",
    "amount and limit are texts, and > takes numbers: write number(amount) > number(limit), or d(…) on both sides for times",
  ],
  ["amount > count", "amount is a text, and > takes numbers: write number(amount) > count"],
  ["count < limit", "limit is a text, and < takes numbers: write count < number(limit)"],
  ["amount * 2 > 100", "amount is a text, and * takes numbers: write number(amount) * 2"],
  ["count + limit > 100", "limit is a text, and + takes numbers: write count + number(limit)"],
  ["some(['a'], # > count)", "# is a text, and > takes numbers: write number(#) > count"],
  ["lower(amount) - 1 > 0", "… is a text, and - takes numbers: write number(…) - 1"],
])("%s on texts says which field is one, and what to write", (source, message) => {
  expect(failure(source, ROW, { size: "big" })).toMatchObject({ code: "MQB_EXPRESSION_EVALUATION", message });
});

test("what is written then works", () => {
  const row = '{"amount":"250","limit":"100"}';
  expect([...predicate("number(amount) > number(limit)").test(batchOf([new Message(row)])).matched]).toEqual([0]);
});

test("other misfits keep their own message", () => {
  expect(failure("active > 1", '{"active":true}')).toMatchObject({ message: "Compare: unsupported type" });
});
