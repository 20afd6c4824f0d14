import { batchOf, isExhausted, kindOf, Message, type MqbError, type Outcome } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../src/client/retry-after.ts";
import { answering, forever, sink } from "./support.ts";

function errorOf(outcome: Outcome | undefined): MqbError {
  if (outcome?.type !== "failed") throw new Error(`the outcome is ${outcome?.type}`);
  return outcome.error as MqbError;
}

describe("an answer", () => {
  it("says by its status whether the message is delivered, may be later, or never", async () => {
    await using server = await answering((_, body, response) => {
      response.writeHead(Number(body.toString()), { location: "http://u:p@elsewhere/x" });
      response.end("said the server");
    });
    await using opened = await sink({ url: `${server.url}/base?key=secret`, batch_concurrency: 4 });
    const classes: Record<string, number[]> = {
      replied: [200, 201, 202, 204, 299],
      retryable: [408, 425, 429, 500, 502, 503, 504, 599],
      permanent: [300, 301, 304, 307, 400, 404, 405, 409, 410, 413, 415, 422, 451, 501, 505],
    };
    for (const [wanted, statuses] of Object.entries(classes)) {
      const batch = batchOf(statuses.map((status) => new Message(String(status))));
      const outcomes = (await opened.end.send(batch, forever()))!;
      outcomes.forEach((outcome, i) => {
        const got = outcome.type === "failed" ? kindOf(outcome.error, "end") : outcome.type;
        expect(got, String(statuses[i])).toBe(wanted);
        if (outcome.type === "failed") {
          expect(String(outcome.error)).toContain(String(statuses[i]));
          expect(String(outcome.error)).not.toContain("secret");
          expect(isExhausted(outcome.error)).toBe(false);
        }
      });
    }
  });

  it("that refuses credentials is no fault of the message: a dlq takes it, without one it goes back", async () => {
    await using server = await answering((_, body, response) => response.writeHead(Number(body.toString())).end());
    await using opened = await sink({ url: server.url });
    const outcomes = (await opened.end.send(batchOf([new Message("401"), new Message("403")]), forever()))!;
    for (const outcome of outcomes) {
      expect(errorOf(outcome)).toMatchObject({ code: "MQB_HTTP_CREDENTIALS", kind: "retryable", exhausted: true });
      expect(errorOf(outcome).message).toContain("refuses our credentials");
    }
  });

  it("that redirects is not followed, and the error says where to", async () => {
    let requests = 0;
    await using server = await answering((_, __, response) => {
      requests += 1;
      response.writeHead(302, { location: "http://user:pass@169.254.169.254/latest" }).end();
    });
    await using opened = await sink({ url: server.url, basic_auth: ["u", "p"] });
    const [outcome] = (await opened.end.send(batchOf([new Message("x")]), forever()))!;
    expect(errorOf(outcome).message).toContain("redirects to http://***@169.254.169.254/latest");
    expect(requests).toBe(1);
  });

  it("is shown by at most 2048 bytes of its body", async () => {
    await using server = await answering((_, __, response) => response.writeHead(400).end("é".repeat(5000)));
    await using opened = await sink({ url: server.url });
    const [outcome] = (await opened.end.send(batchOf([new Message("x")]), forever()))!;
    expect(errorOf(outcome).message.length).toBeLessThan(1200);
  });

  it("is an answer whatever its status with pass_through_status", async () => {
    await using server = await answering((_, __, response) => {
      response.writeHead(422, { "x-reason": "no stock", "content-type": "application/json" }).end('{"ok":false}');
    });
    await using opened = await sink({ url: server.url, pass_through_status: true });
    const [outcome] = (await opened.end.send(batchOf([new Message("x")]), forever()))!;
    if (outcome?.type !== "replied") throw new Error("no reply");
    expect(outcome.message.text()).toBe('{"ok":false}');
    expect(Object.fromEntries(outcome.message.metadata)).toMatchObject({
      http_status_code: "422",
      "x-reason": "no stock",
    });
  });

  it("stands at the position of its message, and only its own one", async () => {
    let left = 50;
    const waiting: (() => void)[] = [];
    // Answers come in the reverse order of their requests.
    await using server = await answering((_, body, response) => {
      const n = Number(body.toString());
      waiting.unshift(() => response.writeHead(n % 3 === 0 ? 422 : 200).end(`answer ${n}`));
      if (waiting.length < Math.min(8, left)) return;
      left -= waiting.length;
      for (const answer of waiting.splice(0)) answer();
    });
    await using opened = await sink({ url: server.url, batch_concurrency: 8 });
    const messages = Array.from({ length: 50 }, (_, n) => new Message(String(n)));
    const outcomes = (await opened.end.send(batchOf(messages), forever()))!;
    outcomes.forEach((outcome, n) => {
      expect(outcome.type).toBe(n % 3 === 0 ? "failed" : "replied");
      if (outcome.type !== "replied") return;
      expect([outcome.message.text(), outcome.message.id]).toEqual([`answer ${n}`, messages[n]!.id]);
    });
  });
});

describe("Retry-After", () => {
  const now = Date.parse("Tue, 01 Dec 2026 10:00:00 GMT");

  it.each([
    ["2", 2000],
    [" 0 ", 0],
    ["86400", 86_400_000],
    ["999999999", 86_400_000],
    ["Thu, 31 Dec 2099 10:00:00 GMT", 86_400_000],
    ["Tue, 01 Dec 2026 10:00:02 GMT", 2000],
    ["Tuesday, 01-Dec-26 10:00:02 GMT", 2000],
    ["Mon, 30 Nov 2026 10:00:00 GMT", 0],
    ["soon", undefined],
    ["-3", undefined],
    ["1.5", undefined],
    ["2026", 2_026_000],
    [undefined, undefined],
  ])("%s is %s ms", (header, wanted) => {
    expect(retryAfterMs(header, now)).toBe(wanted);
  });

  it("reaches whoever sends again", async () => {
    await using server = await answering((_, __, response) => response.writeHead(429, { "retry-after": "7" }).end());
    await using opened = await sink({ url: server.url });
    const [outcome] = (await opened.end.send(batchOf([new Message("x")]), forever()))!;
    expect(errorOf(outcome)).toMatchObject({ code: "MQB_HTTP_BUSY", retryAfterMs: 7000 });
  });
});
