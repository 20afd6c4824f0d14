import { describe, expect, it } from "vitest";
import type { RawMsg } from "../src/client/driver.ts";
import { nakBody, tellAll } from "../src/consumer/settling.ts";

function message(deliveries: number): RawMsg {
  const reply = Buffer.from(`$JS.ACK.s.c.${deliveries}.1.1.1.0`);
  return { _msg: { subject: Buffer.from("s"), reply, hdr: -1 }, _rdata: Buffer.alloc(0) } as unknown as RawMsg;
}

describe("giving a message back", () => {
  it("has no delay the first time, then longer and longer ones up to half a minute", () => {
    expect(nakBody(message(1))).toBe("-NAK");
    const delays = [2, 3, 4, 11, 1000].map((count) => JSON.parse(nakBody(message(count)).slice(5)).delay / 1e6);
    expect(delays).toEqual([100, 200, 400, 30_000, 30_000]);
  });
});

describe("telling the server the same about many messages", () => {
  it("is one command each", () => {
    expect(tellAll([message(1), message(2)], "+WPI").toString()).toBe(
      "PUB $JS.ACK.s.c.1.1.1.1.0 4\r\n+WPI\r\nPUB $JS.ACK.s.c.2.1.1.1.0 4\r\n+WPI\r\n",
    );
    expect(tellAll([message(1)], "").toString()).toBe("PUB $JS.ACK.s.c.1.1.1.1.0 0\r\n\r\n");
  });
});
