import { batchOf, failed, Message, MqbError, type Outcome } from "@mqb/core/plugin";
import { FakeClock, isPending } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import type { Connection, Watcher } from "../src/client/connection.ts";
import type { Take } from "../src/client/reader.ts";
import { Exchange } from "../src/publisher/exchange.ts";
import { frameOf } from "./frame-of.ts";

const WINDOW = 4096;
const LATE = new MqbError("MQB_TEST_LATE", "retryable", "late");
const LOST = new MqbError("MQB_TEST_LOST", "connection", "lost");

/** A server that writes down what it gets, and answers when the test says so. */
class Server {
  readonly clock = new FakeClock();
  readonly exchange: Exchange;
  readonly replies: string[] = [];
  unsubscribed = false;
  unsent = 0;
  drain: () => void = () => {};
  private hear: Take = () => {};
  private watcher: Watcher | undefined;

  constructor(renews = true) {
    const server = this;
    const connection = {
      get unsent() {
        return server.unsent;
      },
      onDrained: (callback: () => void) => (this.drain = callback),
      target: "test:4222",
      maxPayload: 1024,
      watch: (watcher: Watcher) => {
        this.watcher = watcher;
        return () => {};
      },
      subscribe: (_: string, callback: typeof this.hear) => {
        this.hear = callback;
        return { unsubscribe: () => (this.unsubscribed = true) };
      },
      write: (commands: Uint8Array) => {
        for (const [, reply] of Buffer.from(commands)
          .toString()
          .matchAll(/HPUB s (\S+) /g))
          this.replies.push(reply!);
      },
    };
    this.exchange = new Exchange({
      connection: connection as unknown as Connection,
      clock: this.clock,
      subject: "s",
      deduplicate: false,
      withheld: () => {},
      inbox: "_INBOX.i",
      timeoutMs: 5000,
      renews,
      judge: ({ data }): Outcome | "foreign" | undefined =>
        data.length === 0 ? undefined : `${data}` === "foreign" ? "foreign" : failed(new Error("refused")),
      timedOut: () => LATE,
    });
  }

  answer(from: number, to = from + 1, body = ""): void {
    for (const subject of this.replies.slice(from, to)) this.hear(frameOf({ subject, payload: body }));
  }

  lose(): void {
    this.watcher!.lost(LOST);
  }
}

const batch = (count: number) => batchOf(Array.from({ length: count }, (_, n) => new Message(`${n}`)));
const { signal } = new AbortController();
const types = (outcomes: readonly Outcome[] | undefined) => outcomes?.map(({ type }) => type);

describe("messages that are answered one by one", () => {
  it("are accepted when each has its answer, in whatever order", async () => {
    const server = new Server();
    const [first, second] = [server.exchange.send(batch(3), signal), server.exchange.send(batch(1), signal)];
    server.answer(3);
    expect(await second).toBeUndefined();
    server.answer(2);
    server.answer(0);
    expect(await isPending(first)).toBe(true);
    server.answer(1);
    expect(await first).toBeUndefined();
    expect(server.exchange.inFlight).toBe(0);
  });

  it("say by position which one was refused, and count an answer once", async () => {
    const server = new Server();
    const sending = server.exchange.send(batch(3), signal);
    server.answer(1, 2, "no");
    server.answer(1);
    server.answer(0);
    server.answer(2);
    expect(types(await sending)).toEqual(["accepted", "failed", "accepted"]);
  });

  it("are not sent beyond the window, the rest follows in order", async () => {
    const server = new Server();
    const first = server.exchange.send(batch(WINDOW + 10), signal);
    const second = server.exchange.send(batch(5), signal);
    expect(server.replies).toHaveLength(WINDOW);
    server.answer(0, WINDOW / 2 + 1);
    expect(server.replies).toHaveLength(WINDOW + 15);
    expect(server.replies.slice(-15).map((reply) => reply.split(".")[2])).toEqual([
      ...Array(10).fill("1"),
      ...Array(5).fill("2"),
    ]);
    server.answer(WINDOW / 2 + 1, WINDOW + 15);
    expect([await first, await second]).toEqual([undefined, undefined]);
  });

  it("fail when nothing was answered for the time that is granted, and only those", async () => {
    const server = new Server();
    const sending = server.exchange.send(batch(3), signal);
    await server.clock.advance(4000);
    server.answer(0);
    await server.clock.advance(4000);
    expect(await isPending(sending)).toBe(true);
    await server.clock.advance(7000);
    const outcomes = await sending;
    expect(types(outcomes)).toEqual(["accepted", "failed", "failed"]);
    expect(outcomes![1]).toEqual(failed(LATE));
    server.answer(1);
    expect(server.exchange.inFlight).toBe(0);
  });

  it("wait their turn as long as those before them are answered, and not when those behind them are", async () => {
    const server = new Server();
    const [first, second] = [server.exchange.send(batch(2), signal), server.exchange.send(batch(1), signal)];
    const third = server.exchange.send(batch(2), signal);
    server.answer(0);
    await server.clock.advance(4000);
    server.answer(1);
    expect(await first).toBeUndefined();
    await server.clock.advance(2000);
    expect(await isPending(second)).toBe(true);
    server.answer(3);
    await server.clock.advance(4000);
    expect(types(await second)).toEqual(["failed"]);
    server.answer(4);
    expect(await third).toBeUndefined();
  });

  it("wait on when somebody else answers, or the answer is odd", async () => {
    const server = new Server();
    const sending = server.exchange.send(batch(1), signal);
    server.answer(0, 1, "foreign");
    for (const odd of ["_INBOX.i.1.x", "_INBOX.i.x.0", "_INBOX.i.1.", "_INBOX.i.1.0.0", "_INBOX.i.0"]) {
      server.replies.push(odd);
      server.answer(server.replies.length - 1);
    }
    expect(await isPending(sending)).toBe(true);
    server.answer(0);
    expect(await sending).toBeUndefined();
  });

  it("are not sent while what was given up fills the socket, and go on when it has drained", async () => {
    const server = new Server();
    server.unsent = 16 * 1024 * 1024;
    const sending = server.exchange.send(batch(1), signal);
    expect(server.replies).toEqual([]);
    server.unsent = 0;
    server.drain();
    expect(server.replies).toHaveLength(1);
    server.answer(0);
    expect(await sending).toBeUndefined();
  });

  it("have one time for all of a batch where an answer says nothing about the others", async () => {
    const server = new Server(false);
    const sending = server.exchange.send(batch(2), signal);
    await server.clock.advance(4000);
    server.answer(0);
    await server.clock.advance(1000);
    expect(types(await sending)).toEqual(["accepted", "failed"]);
  });

  it("are given up when the signal aborts, also those that were not sent", async () => {
    const server = new Server();
    const stop = new AbortController();
    const sending = server.exchange.send(batch(WINDOW + 1), stop.signal);
    const other = server.exchange.send(batch(1), signal);
    stop.abort();
    const outcomes = await sending;
    expect(outcomes!.every(({ type }) => type === "failed")).toBe(true);
    expect(server.replies).toHaveLength(WINDOW + 1);
    server.answer(WINDOW);
    expect(await other).toBeUndefined();
  });

  it("fail as a lost connection when it is lost, and nothing is sent behind it", async () => {
    const server = new Server();
    const sending = server.exchange.send(batch(2), signal);
    server.answer(0);
    server.lose();
    expect(await sending).toEqual([{ type: "accepted" }, failed(LOST)]);
    await expect(server.exchange.send(batch(1), signal)).rejects.toBe(LOST);
    expect(server.unsubscribed).toBe(true);
  });

  it("that are too large fail alone, and an empty batch is sent at once", async () => {
    const server = new Server();
    expect(await server.exchange.send(batch(0), signal)).toBeUndefined();
    const sending = server.exchange.send(batchOf([new Message("x".repeat(2000)), new Message("y")]), signal);
    server.answer(0);
    expect(types(await sending)).toEqual(["failed", "accepted"]);
    expect(types(await server.exchange.send(batchOf([new Message("x".repeat(2000))]), signal))).toEqual(["failed"]);
  });
});
