import { describe, expect, it } from "vitest";
import { isAckOf, originIn } from "../src/wire/ack-subject.ts";

describe("what the reply subject of a stream's message tells", () => {
  it.each([
    "$JS.ACK.orders.mq-bridge-orders-a.3.1234567890123.77.1700000000000000000.42",
    "$JS.ACK.hub.ACCHASH.orders.mq-bridge-orders-a.3.1234567890123.77.1700000000000000000.42",
    "$JS.ACK._.ACCHASH.orders.mq-bridge-orders-a.3.1234567890123.77.1700000000000000000.42.random",
  ])("%s", (subject) => {
    const bytes = Buffer.from(`MSG a.b 1 ${subject} 5.5`);
    expect(originIn(bytes, 10, 10 + subject.length)).toEqual({ deliveries: 3, sequence: 1234567890123, waiting: 42 });
  });

  it.each(["", "_INBOX.abc", "$JS.ACK.orders.c.1.2.3.4", "$JS.ACK.s.c.1.x.3.4.5", "$JS.ACK.s.c.1..3.4.5"])(
    "nothing of %j",
    (subject) => {
      expect(originIn(Buffer.from(subject), 0, subject.length)).toBeUndefined();
    },
  );
});

describe("the stream of an ack subject", () => {
  it.each([
    ["$JS.ACK.orders.c.1.2.3.4.5", true],
    ["$JS.ACK.hub.ACCHASH.orders.c.1.2.3.4.5", true],
    ["$JS.ACK.others.orders.1.2.3.4.5", false],
    ["$JS.ACK.orders.ACCHASH.others.c.1.2.3.4.5", false],
    ["$JS.API.orders", false],
  ])("%s: %s", (subject, isOurs) => {
    expect(isAckOf("orders", subject)).toBe(isOurs);
  });
});
