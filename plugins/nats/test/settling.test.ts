import { describe, expect, it } from "vitest";
import { ReceivedQueue } from "../src/consumer/queue.ts";
import { nakBody, tellAll } from "../src/consumer/settling.ts";
import { frameOf } from "./frame-of.ts";

describe("giving a message back", () => {
  it("has no delay the first time, then longer and longer ones up to half a minute", () => {
    expect(nakBody(1)).toBe("-NAK");
    const delays = [2, 3, 4, 11, 1000].map((count) => JSON.parse(nakBody(count).slice(5)).delay / 1e6);
    expect(delays).toEqual([100, 200, 400, 30_000, 30_000]);
  });
});

describe("telling the server the same about many messages", () => {
  it("is one command each", () => {
    const queue = new ReceivedQueue();
    for (const n of [1, 2, 3]) queue.push(frameOf({ reply: `$JS.ACK.s.c.1.${n}.1.1.0` }));
    const two = queue.take(2);
    expect(tellAll(two, "+WPI").toString()).toBe(
      "PUB $JS.ACK.s.c.1.1.1.1.0 4\r\n+WPI\r\nPUB $JS.ACK.s.c.1.2.1.1.0 4\r\n+WPI\r\n",
    );
    expect(tellAll(two, "", (index) => index === 1).toString()).toBe("PUB $JS.ACK.s.c.1.2.1.1.0 0\r\n\r\n");
    expect(tellAll(queue.take(9), "").toString()).toBe("PUB $JS.ACK.s.c.1.3.1.1.0 0\r\n\r\n");
  });

  it("says nothing of messages that nobody waits for", () => {
    const queue = new ReceivedQueue();
    queue.push(frameOf({}));
    expect(tellAll(queue.take(1), "").toString()).toBe("");
  });
});
