import {
  ACCEPTED,
  codeOf,
  DEAD_LETTERED,
  FILTERED,
  failed,
  kindOf,
  Message,
  MqbError,
  type Outcome,
} from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { ASKED, Asked, batch, contextWith, enriched, never, openOutput, type Reply } from "./looking.ts";

const HUGE = "123456789012345678901234567890.10";

async function outcomesFor(answer: Reply): Promise<readonly Outcome[] | undefined> {
  const { publisher } = await openOutput(ASKED, { asked: new Asked(() => answer) });
  return publisher.send(batch("{}"), never);
}

const status = (code: number | string, payload = '{"a":1}') =>
  new Message(payload, new Map([["http_status_code", String(code)]]));

describe("an answer", () => {
  it.each([
    ["JSON, byte for byte", `{"n":1.0,"big":${HUGE},"e":"\\u00e4\\/"}`, `{"n":1.0,"big":${HUGE},"e":"\\u00e4\\/"}`],
    ["a number", "1e400", "1e400"],
    [
      "without the blanks between its tokens",
      ' {\n "a b" : [ 1 ,\t2 ],\r\n"\\" " : " }" } ',
      '{"a b":[1,2],"\\" ":" }"}',
    ],
    ["keys twice and hostile keys as they are", '{"__proto__":1,"a":1,"a":2}', '{"__proto__":1,"a":1,"a":2}'],
    ["text as a JSON string", 'no "json"\n', '"no \\"json\\"\\n"'],
    ["half JSON as a JSON string", '{"a":', '"{\\"a\\":"'],
    ["JSON and more as a JSON string", "{} {}", '"{} {}"'],
    ["nothing as null", "", "null"],
    ["null", " null ", "null"],
  ])("is written: %s", async (_, answer, written) => {
    expect(await enriched(ASKED, new Asked(() => answer), '{"id":1}')).toEqual([`{"id":1,"user":${written}}`]);
  });

  it("that is not UTF-8 is written as a text with replacement characters", async () => {
    const bytes = new Message(Buffer.from([0x22, 0xff, 0x22]));
    expect(await enriched(ASKED, new Asked(() => bytes), "{}")).toEqual(['{"user":"\\"\ufffd\\""}']);
  });

  it.each([
    ["{}", "true"],
    ["0", "true"],
    ['""', "true"],
    ["false", "true"],
    ["text", "true"],
    ["", "false"],
    ["null", "false"],
  ])("%j is found: %s", async (answer, found) => {
    const { publisher, sink } = await openOutput(ASKED, { asked: new Asked(() => answer) });
    await publisher.send(batch(new Message("{}", new Map([["k", "v"]]))), never);
    expect([...sink.messages[0]!.metadata]).toEqual([
      ["k", "v"],
      ["lookup.user.found", found],
      ["lookup.found", found],
    ]);
  });
});

describe("the HTTP status of an answer", () => {
  it.each([200, 204, 299, "abc", ""])("%s: the answer counts", async (code) => {
    expect(await enriched(ASKED, new Asked(() => status(code)), "{}")).toEqual(['{"user":{"a":1}}']);
  });

  it("404: there is none", async () => {
    expect(await enriched(ASKED, new Asked(() => status(404)), "{}")).toEqual(['{"user":null}']);
  });

  it.each([
    [401, "retryable"],
    [403, "retryable"],
    [408, "retryable"],
    [429, "retryable"],
    [500, "retryable"],
    [503, "retryable"],
    [504, "retryable"],
    [301, "permanent"],
    [400, "permanent"],
    [409, "permanent"],
    [410, "permanent"],
    [422, "permanent"],
  ])("%i: the message fails, %s", async (code, kind) => {
    const outcomes = await outcomesFor(status(code));
    const [outcome] = outcomes as [Extract<Outcome, { type: "failed" }>];
    expect([outcome.type, kindOf(outcome.error, "end"), String(outcome.error)]).toEqual([
      "failed",
      kind,
      expect.stringContaining(String(code)),
    ]);
  });
});

describe("an endpoint that gives no answer", () => {
  it.each<[string, Outcome]>([
    ["acknowledges only", ACCEPTED],
    ["sends it to its dead letters", DEAD_LETTERED],
  ])("%s: the message fails for good", async (_, outcome) => {
    expect(codesOf(await outcomesFor(outcome))).toEqual(["MQB_LOOKUP_NO_ANSWER"]);
  });

  it("only takes note of the request in a dry run: nothing was found", async () => {
    const asked = new Asked(() => undefined);
    const context = contextWith({ asked });
    context.local("mqb:dry-run", () => true);
    const { publisher, sink } = await openOutput(ASKED, { asked }, context);
    await publisher.send(batch("{}"), never);
    expect([asked.texts, sink.messages.map((message) => message.text())]).toEqual([["{}"], ['{"user":null}']]);
  });

  it("filters the request out: nothing was found", async () => {
    expect(await enriched(ASKED, new Asked(() => FILTERED), "{}")).toEqual(['{"user":null}']);
  });

  it.each(["retryable", "permanent", "connection", "config"] as const)(
    "fails with %s: the kind stays",
    async (kind) => {
      const error = new MqbError("MQB_TEST", kind, "no");
      const [outcome] = (await outcomesFor(failed(error)))!;
      expect(outcome).toEqual({ type: "failed", error });
    },
  );

  it("throws: every message of its batch fails with that, the others do not", async () => {
    const asked = new Asked((request) => {
      if (request.text() === "{}") throw new MqbError("MQB_TEST", "connection", "gone");
      return "1";
    });
    const { publisher, sink } = await openOutput(ASKED, { asked });
    expect(codesOf(await publisher.send(batch('{"a":1}', "{}"), never))).toEqual([undefined, "MQB_TEST"]);
    expect(sink.messages.map((message) => message.text())).toEqual(['{"a":1,"user":1}']);
  });

  it("gives more outcomes than it was asked for: its connection counts as broken", async () => {
    const asked = new Asked(() => "1");
    asked.send = async () => [ACCEPTED, ACCEPTED];
    const { publisher } = await openOutput(ASKED, { asked });
    expect(codesOf(await publisher.send(batch("{}"), never))).toEqual(["MQB_LOOKUP_OUTCOMES"]);
  });
});

function codesOf(outcomes: readonly Outcome[] | undefined): (string | undefined)[] {
  return (outcomes ?? []).map((outcome) => (outcome.type === "failed" ? codeOf(outcome.error) : undefined));
}
