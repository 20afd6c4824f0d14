import { describe, expect, it } from "vitest";
import type { DriverMessage, DriverProtocol } from "../src/client/driver.ts";
import { Reader } from "../src/client/reader.ts";
import type { Frame } from "../src/wire/frame.ts";

const OURS = 3;

/** A reader before the driver, and what comes of the bytes that it is given. */
class Wire {
  /** Messages of our subscription: subject, reply, headers, payload. */
  readonly ours: string[][] = [];
  /** What was left to the driver: lines as texts, messages as it is given them. */
  readonly driver: unknown[] = [];
  readonly failures: Error[] = [];
  readonly state = { value: 0 };
  readonly reader: Reader;

  constructor() {
    const { driver, state } = this;
    const protocol: DriverProtocol = {
      parser: {
        get state() {
          return state.value;
        },
        parse: (bytes) => driver.push(Buffer.from(bytes).toString()),
      },
      sendCommand: () => {},
      processMsg: (message, data) => driver.push({ ...texts(message), data: Buffer.from(data).toString() }),
    };
    this.reader = new Reader(protocol, (cause) => this.failures.push(cause as Error));
    this.reader.take(OURS, (frame) => this.ours.push(partsOf(frame)));
  }

  /** Gives it the bytes in pieces of so many. */
  give(text: string, size = Number.POSITIVE_INFINITY): this {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) {
      this.reader.parse(Uint8Array.from(bytes.subarray(at, Math.min(at + size, bytes.length))));
    }
    return this;
  }
}

function texts({ subject, reply, ...rest }: DriverMessage): object {
  return { ...rest, subject: Buffer.from(subject).toString(), reply: reply && Buffer.from(reply).toString() };
}

function partsOf({ bytes, subject, subjectEnd, reply, replyEnd, block, data }: Frame): string[] {
  return [bytes.toString("utf8", subject, subjectEnd), bytes.toString("utf8", reply, replyEnd), `${block}`, `${data}`];
}

const BLOCK = "NATS/1.0\r\na: 1\r\n\r\n";
const STREAM = [
  "MSG s.größe 3 5\r\nhello\r\n",
  "PING\r\n",
  `HMSG s.a 3 $JS.ACK.s.c.1 ${BLOCK.length} ${BLOCK.length + 7}\r\n${BLOCK}MSG \r\nx\r\n`,
  "MSG _INBOX.mux.1 1 2\r\n{}\r\n",
  "msg s.b\t3  reply  0 \r\n\r\n",
  `HMSG _INBOX.mux.2 1 there ${BLOCK.length} ${BLOCK.length}\r\n${BLOCK}\r\n`,
  'INFO {"server_id":"MSG a 3 1"}\r\n',
  "-ERR 'Permissions Violation for Publish to \"x\"'\r\n",
  `MSG s.large 3 300\r\n${"é".repeat(150)}\r\n`,
  "PONG\r\n",
].join("");
const OURS_OF_STREAM = [
  ["s.größe", "", "", "hello"],
  ["s.a", "$JS.ACK.s.c.1", BLOCK, "MSG \r\nx"],
  ["s.b", "reply", "", ""],
  ["s.large", "", "", "é".repeat(150)],
];
const DRIVERS_OF_STREAM = [
  "PING\r\n",
  { subject: "_INBOX.mux.1", sid: 1, reply: undefined, hdr: -1, size: 2, data: "{}" },
  { subject: "_INBOX.mux.2", sid: 1, reply: "there", hdr: BLOCK.length, size: BLOCK.length, data: BLOCK },
  'INFO {"server_id":"MSG a 3 1"}\r\n',
  "-ERR 'Permissions Violation for Publish to \"x\"'\r\n",
  "PONG\r\n",
];

describe("what the server sends", () => {
  it.each([1, 2, 3, 7, 64, 4096])("is the same in pieces of %i bytes", (size) => {
    const wire = new Wire().give(STREAM, size);
    expect(wire.ours).toEqual(OURS_OF_STREAM);
    expect(wire.driver).toEqual(DRIVERS_OF_STREAM);
    expect(wire.failures).toEqual([]);
  });

  it("goes on behind a message that came in many pieces", () => {
    const large = "x".repeat(1_000_000);
    const wire = new Wire().give(`MSG s 3 ${large.length}\r\n${large}\r\n${STREAM}`, 65_536);
    expect(wire.ours[0]).toEqual(["s", "", "", large]);
    expect(wire.ours.slice(1)).toEqual(OURS_OF_STREAM);
  });

  it("is the driver's until it is through with what it has begun to read", () => {
    const wire = new Wire();
    wire.state.value = 5;
    wire.give("NG\r\n");
    wire.state.value = 0;
    wire.give("MSG s 3 2\r\nhi\r\n");
    expect(wire.driver).toEqual(["NG\r\n"]);
    expect(wire.ours).toEqual([["s", "", "", "hi"]]);
  });

  it("goes to the driver when the subscription is no longer ours", () => {
    const wire = new Wire();
    wire.reader.forget(OURS);
    wire.give("MSG s 3 2\r\nhi\r\n");
    expect(wire.ours).toEqual([]);
    expect(wire.driver).toEqual([{ subject: "s", sid: 3, reply: undefined, hdr: -1, size: 2, data: "hi" }]);
  });
});

describe("what no server sends", () => {
  it.each([
    "MSG s 3\r\n",
    "MSG s 3 a b 5\r\nhello\r\n",
    "MSG s 3 -5\r\nhello\r\n",
    "MSG s x 5\r\nhello\r\n",
    "MSG s 3 99999999999999999\r\n",
    "HMSG s 3 5\r\nhello\r\n",
    "HMSG s 3 6 5\r\nhello\r\n",
    "HMSG s 3 a b c d e\r\n",
  ])("is told once, and nothing is read behind it: %j", (text) => {
    const wire = new Wire().give(text).give(STREAM);
    expect(wire.failures).toHaveLength(1);
    expect(wire.failures[0]!.message).toBe(`no message begins at byte 0 (${JSON.stringify(text.slice(0, 4))})`);
    expect([...wire.ours, ...wire.driver]).toEqual([]);
  });
});
