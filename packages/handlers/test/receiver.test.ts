import { batchOf, type Consumer, type Delivery, type Disposition, Message, MqbError } from "@mqb/core/plugin";
import { FakeClock, isPending, within } from "@mqb/testkit";
import { describe, expect, expectTypeOf, it } from "vitest";
import { EndOfStream, openReceiver, openSender } from "../src/index.ts";
import { bridgeOf } from "./setup.ts";

const INPUT = { memory: { topic: "t", enable_nack: true } };

async function filled(...texts: string[]) {
  const bridge = bridgeOf();
  const sender = await openSender(bridge, { memory: { topic: "t" } });
  for (const text of texts) await sender.send(text);
  return { bridge, sender };
}

describe("a receiver", () => {
  it("gives batches, which are acked, nacked or settled one by one", async () => {
    const { bridge } = await filled("a", "b", "c");
    await using receiver = await openReceiver(bridge, INPUT);
    const first = await receiver.receive({ max: 1 });
    expect(first.messages.map((message) => message.text())).toEqual(["a"]);
    await first.ack();
    const rest = await receiver.receive();
    expect(rest.length).toBe(2);
    await rest.commit([{ type: "nack" }, { type: "ack" }]);
    const again = await receiver.receive();
    expect([...again].map((message) => message.text())).toEqual(["b"]);
    await again.nack(new Error("later"));
    await (await receiver.receive()).ack();
    expect((await receiver.receive({ timeoutMs: 0 })).length).toBe(0);
  });

  it("waits as long as it is told to, and leaves no timer behind", async () => {
    const { bridge, sender } = await filled();
    const clock = new FakeClock();
    await using receiver = await openReceiver(bridge, INPUT, { clock });
    const late = receiver.receive({ timeoutMs: 1000 });
    await clock.advance(999);
    expect(await isPending(late)).toBe(true);
    await clock.advance(1);
    expect((await within(late, "the end of the wait")).length).toBe(0);
    const soon = receiver.receive({ timeoutMs: 1000 });
    await sender.send("x");
    expect((await soon).length).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it("stops waiting when its signal aborts and when it is closed", async () => {
    const { bridge } = await filled();
    const receiver = await openReceiver(bridge, INPUT);
    const stop = new AbortController();
    const stopped = receiver.receive({ signal: stop.signal });
    await expect(receiver.receive()).rejects.toThrow(TypeError);
    stop.abort(new Error("stop"));
    expect((await stopped).length).toBe(0);
    const closed = receiver.receive();
    await receiver.close();
    expect((await within(closed, "the end of the wait")).length).toBe(0);
    await expect(receiver.receive()).rejects.toMatchObject({ code: "MQB_HANDLERS_CLOSED" });
  });
});

describe("a loop over messages", () => {
  it("acknowledges each when it asks for the next, and ends when nothing comes any more", async () => {
    const { bridge } = await filled("a", "b", "c");
    await using receiver = await openReceiver(bridge, INPUT);
    const texts: string[] = [];
    for await (const message of receiver.messages({ max: 2, idleMs: 0 })) {
      expectTypeOf(message).toEqualTypeOf<Message>();
      texts.push(message.text());
    }
    expect(texts).toEqual(["a", "b", "c"]);
    expect((await receiver.receive({ timeoutMs: 0 })).length).toBe(0);
  });

  it.each(["a break", "a throw"])("gives back the message that it had and those behind it at %s", async (how) => {
    const { bridge } = await filled("a", "b", "c");
    await using receiver = await openReceiver(bridge, INPUT);
    const loop = async (): Promise<void> => {
      for await (const message of receiver) {
        if (message.text() !== "b") continue;
        if (how === "a throw") throw new Error("no");
        break;
      }
    };
    if (how === "a throw") await expect(loop()).rejects.toThrow("no");
    else await loop();
    const rest = await receiver.receive({ timeoutMs: 0 });
    expect(rest.messages.map((message) => message.text())).toEqual(["b", "c"]);
  });

  it("ends with its signal", async () => {
    const { bridge } = await filled("a");
    await using receiver = await openReceiver(bridge, INPUT);
    const stop = new AbortController();
    const texts: string[] = [];
    for await (const message of receiver.messages({ signal: stop.signal })) {
      texts.push(message.text());
      stop.abort();
    }
    expect(texts).toEqual(["a"]);
  });
});

/** A source that gives what the test says, in order. */
function source(...steps: (string[] | Error)[]) {
  const commits: (readonly Disposition[] | undefined)[] = [];
  const consumer: Consumer = {
    async receive(): Promise<Delivery> {
      const step = steps.shift();
      if (!step) throw new EndOfStream();
      if (step instanceof Error) throw step;
      return {
        batch: batchOf(step.map((text) => new Message(text))),
        async commit(dispositions) {
          commits.push(dispositions);
        },
      };
    },
    async close() {},
  };
  return { bridge: { openConsumer: async () => consumer }, commits };
}

/** A source that rejects when it is to stop waiting. */
function waiting(rejection: (signal: AbortSignal) => unknown) {
  const consumer: Consumer = {
    receive: (_, signal) =>
      new Promise((_resolve, reject) => {
        const stop = (): void => reject(rejection(signal));
        if (signal.aborted) stop();
        else signal.addEventListener("abort", stop, { once: true });
      }),
    async close() {},
  };
  return { openConsumer: async () => consumer };
}

const abortError = (): Error => Object.assign(new Error("stopped"), { name: "AbortError" });

describe("a source that rejects when it is to stop waiting", () => {
  it.each<[string, (signal: AbortSignal) => unknown]>([
    ["the reason of the signal", (signal) => signal.reason],
    ["an abort error of its own", abortError],
    ["a DOMException", () => new DOMException("stopped", "AbortError")],
  ])("gives nothing: %s", async (_, rejection) => {
    const clock = new FakeClock();
    await using receiver = await openReceiver(waiting(rejection), INPUT, { clock });
    const late = receiver.receive({ timeoutMs: 1000 });
    await clock.advance(1000);
    expect((await within(late, "the end of the wait")).length).toBe(0);
    const stopped = receiver.receive({ signal: AbortSignal.abort(new Error("enough")) });
    expect((await within(stopped, "the end of the wait")).length).toBe(0);
    const idle = receiver.messages({ idleMs: 1000 }).next();
    await clock.advance(1000);
    expect((await within(idle, "the end of the loop")).done).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it("fails with any other error, and with an abort error that nobody asked for", async () => {
    const cut = new MqbError("TEST_CUT", "connection", "cut");
    const failing = await openReceiver(
      waiting(() => cut),
      INPUT,
    );
    await expect(failing.receive({ signal: AbortSignal.abort() })).rejects.toBe(cut);
    const unasked = abortError();
    const { bridge } = source(unasked);
    const receiver = await openReceiver(bridge, INPUT);
    await expect(receiver.receive({ signal: new AbortController().signal })).rejects.toBe(unasked);
  });
});

describe("a loop over batches", () => {
  it("passes over nothing, and ends with the source", async () => {
    const { bridge, commits } = source(["a"], [], ["b"]);
    await using receiver = await openReceiver(bridge, INPUT);
    const texts: string[] = [];
    for await (const batch of receiver.batches()) {
      texts.push(...batch.messages.map((message) => message.text()));
      await batch.ack();
      await batch.nack();
    }
    expect(texts).toEqual(["a", "b"]);
    // The empty one is settled too; a second word about a batch changes nothing.
    expect(commits).toEqual([undefined, undefined, undefined]);
  });

  it("fails as the source does", async () => {
    const cut = new MqbError("TEST_CUT", "connection", "cut");
    const { bridge } = source(["a"], cut);
    await using receiver = await openReceiver(bridge, INPUT);
    const loop = async (): Promise<void> => {
      for await (const message of receiver) expect(message.text()).toBe("a");
    };
    await expect(loop()).rejects.toBe(cut);
  });

  it("refuses a wrong number of dispositions", async () => {
    const { bridge } = source(["a", "b"]);
    await using receiver = await openReceiver(bridge, INPUT);
    const batch = await receiver.receive();
    expect(() => batch.commit([{ type: "ack" }])).toThrow(TypeError);
    await batch.ack();
  });
});
