import { connect } from "nats";
import { describe, expect, it } from "vitest";
import { addressOf, ask, freshSubject, NATS_URL, Routes, withNats } from "./setup.ts";

const PATIENCE = { request_timeout_ms: 1_500 };

await withNats("a request over NATS", () => {
  const natsEnds = (subject = freshSubject()) => {
    const core = { url: NATS_URL, subject, no_jetstream: true };
    return {
      subject,
      to: { nats: { ...core, ...PATIENCE, request_reply: true } },
      input: { nats: { ...core, stream: "repliers" } },
    };
  };
  const front = (to: object) => ({
    input: { http: { url: "127.0.0.1:0" } },
    output: { request: { to, forward_to: { response: {} } } },
    concurrency: 20,
    batch_size: 1,
  });

  it("that nobody answers fails in its time, and holds up no other", async () => {
    await using routes = new Routes();
    const { subject, to } = natsEnds();
    const server = await connect({ servers: new URL(NATS_URL).host });
    server.subscribe(subject, {
      callback: (_, message) => {
        if (!message.string().startsWith("silence")) message.respond(`answer to ${message.string()}`);
      },
    });
    await server.flush();
    const address = addressOf(await routes.start("front", front(to)));
    const began = performance.now();
    const silent = Promise.all(Array.from({ length: 10 }, (_, n) => ask(address, `silence ${n}`)));
    const answered = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(address, `question ${n}`)));
    expect(answered).toEqual(answered.map((_, n) => ({ status: 200, text: `answer to question ${n}` })));
    expect((await silent).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 500));
    expect(performance.now() - began).toBeLessThan(5_000);
    await server.close();
  });

  it("where nobody listens fails at once, and is answered as soon as somebody does", async () => {
    await using routes = new Routes();
    const { to, input } = natsEnds();
    const address = addressOf(await routes.start("front", front(to)));
    expect((await ask(address, "too early")).status).toBe(500);
    await routes.start("answers", { input, output: { response: {} } }, (message) =>
      message.with({ payload: Buffer.from("here") }),
    );
    expect(await ask(address, "now")).toEqual({ status: 200, text: "here" });
  });

  it("fails when its replier is lost in the middle; the next one answers, and no answer comes to another question", async () => {
    await using routes = new Routes();
    const { to, input } = natsEnds();
    const address = addressOf(await routes.start("front", front(to)));
    let asked = 0;
    const lost = await routes.start("lost", { input, output: { response: {} }, concurrency: 20, batch_size: 1 }, () => {
      asked += 1;
      return new Promise(() => {});
    });
    const early = Promise.all(Array.from({ length: 10 }, (_, n) => ask(address, `early ${n}`)));
    await expect.poll(() => asked).toBe(10);
    await lost.stop({ graceMs: 0 });
    await routes.start("next", { input, output: { response: {} } }, (message) =>
      message.with({ payload: Buffer.from(`answer to ${message.text()}`) }),
    );
    expect((await early).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 500));
    const late = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(address, `late ${n}`)));
    expect(late).toEqual(late.map((_, n) => ({ status: 200, text: `answer to late ${n}` })));
  });
});

describe("a request over memory", () => {
  const to = { memory: { topic: "questions", request_reply: true, ...PATIENCE } };
  const input = { memory: { topic: "questions" } };
  const front = { output: { request: { to, forward_to: { response: {} } } }, concurrency: 20, batch_size: 1 };

  it("that nobody answers fails in its time, and its late answer goes to nobody else", async () => {
    await using routes = new Routes();
    const waiting: (() => void)[] = [];
    await routes.start(
      "answers",
      { input, output: { response: {} }, concurrency: 20, batch_size: 1 },
      async (message) => {
        if (message.text().startsWith("slow")) await new Promise<void>((resolve) => waiting.push(resolve));
        return message.with({ payload: Buffer.from(`answer to ${message.text()}`) });
      },
    );
    const route = await routes.start("front", { input: { http: { url: "127.0.0.1:0" } }, ...front });
    const address = addressOf(route);
    expect((await ask(address, "slow")).status).toBe(500);
    const next = ask(address, "quick");
    for (const goOn of waiting) goOn();
    expect(await next).toEqual({ status: 200, text: "answer to quick" });
  });

  it("of a client that is gone, or waits no longer, does not keep the others waiting", async () => {
    await using routes = new Routes();
    const waiting: (() => void)[] = [];
    await routes.start(
      "answers",
      { input, output: { response: {} }, concurrency: 20, batch_size: 1 },
      async (message) => {
        if (message.text() === "leaves") await new Promise<void>((resolve) => waiting.push(resolve));
        return message;
      },
    );
    const route = await routes.start("front", {
      input: { http: { url: "127.0.0.1:0", request_timeout_ms: 200 } },
      ...front,
    });
    const address = addressOf(route);
    const leaving = new AbortController();
    const left = fetch(`http://${address}/`, { method: "POST", body: "leaves", signal: leaving.signal });
    await expect.poll(() => waiting.length).toBe(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    expect((await ask(address, "leaves")).status).toBe(504);
    expect(await ask(address, "stays")).toEqual({ status: 200, text: "stays" });
    for (const goOn of waiting) goOn();
  });
});
