import { describe, expect, it } from "vitest";
import { judgeAck } from "../src/publisher/publish-ack.ts";
import { frameOf } from "./frame-of.ts";

function judged(text: string): unknown {
  return judgeAck(frameOf({ subject: "i.1.0", payload: text }), "test:4222", "s");
}

function refusal(status: number, code: number): string {
  const error = { code: status, err_code: code, description: "the reason" };
  return JSON.stringify({ error, stream: "orders", seq: 0 });
}

describe("what a stream answers to a message", () => {
  it.each([
    '{"stream":"orders", "seq":12}',
    '{"stream":"orders","seq":12}',
    '{"stream":"orders","domain":"hub", "seq":12}',
    '{"stream":"orders","seq":12,"duplicate": true}',
    '{"seq":12,"stream":"orders"}',
  ])("is stored: %s", (text) => {
    expect(judged(text)).toBeUndefined();
  });

  it.each([
    '{"status":"ok"}',
    '{"success":false}',
    '{"stream":"orders"}',
    '{"stream":"orders","seq":"12"}',
    '{"stream":5,"seq":12}',
    '{"error":"no"}',
    '{"error":null}',
    "[]",
    "null",
    "5",
    "xxsx",
    "",
  ])("is nobody's but somebody else's: %s", (text) => {
    expect(judged(text)).toBe("foreign");
  });

  it.each([
    ["too large", 400, 10_054, "permanent"],
    ["headers too large", 400, 10_097, "permanent"],
    ["resources of the account exceeded", 400, 10_002, "retryable"],
    ["a duplicate in process", 409, 10_158, "retryable"],
    ["full", 503, 10_077, "retryable"],
    ["something new", 400, 19_999, "retryable"],
    ["sealed", 400, 10_109, "config"],
  ])("is a refusal: %s", (_, status, code, kind) => {
    expect(judged(refusal(status, code))).toMatchObject({
      type: "failed",
      error: { kind, message: expect.stringContaining("the reason") },
    });
  });
});
