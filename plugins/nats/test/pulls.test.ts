import { describe, expect, it } from "vitest";
import { type PullLimits, Pulls } from "../src/consumer/pulls.ts";
import type { Frame } from "../src/wire/frame.ts";
import { frameOf } from "./frame-of.ts";

const NOTHING = { length: 0, bytes: 0 };
const pulls = (prefetch = 1000, limits: PullLimits = {}) =>
  new Pulls("s", "c", "_INBOX.i", prefetch, 1024 * 1024, limits);
const asked = (command: Buffer | undefined): Record<string, number> =>
  JSON.parse(command!.toString().split("\r\n")[1]!);

function status(line: string, ...headers: string[]): Frame {
  const block = `NATS/1.0 ${line}\r\n${headers.map((one) => `${one}\r\n`).join("")}\r\n`;
  return frameOf({ subject: "_INBOX.i.1", block });
}

describe("asking for messages", () => {
  it("asks for twice what the route takes, and again when less than that is ready", () => {
    const some = pulls();
    const command = some.next(100, NOTHING);
    expect(command!.toString()).toMatch(/^PUB \$JS\.API\.CONSUMER\.MSG\.NEXT\.s\.c _INBOX\.i\.1 \d+\r\n/);
    expect(asked(command)).toMatchObject({ batch: 200, expires: 30e9, idle_heartbeat: 5e9 });
    expect(some.next(100, NOTHING)).toBeUndefined();
    some.asked = 50;
    expect(asked(some.next(100, { length: 20, bytes: 0 }))["batch"]).toBe(130);
  });

  it("never asks for more than may be unacknowledged, nor before the route has said how much it takes", () => {
    expect(asked(pulls(3).next(512, NOTHING))["batch"]).toBe(3);
    expect(pulls().next(0, NOTHING)).toBeUndefined();
  });

  it("asks for nothing while many bytes wait, but always for one that is larger", () => {
    expect(pulls().next(100, { length: 5, bytes: 16 * 1024 * 1024 })).toBeUndefined();
    const { max_bytes: most } = asked(pulls().next(100, { length: 5, bytes: 16 * 1024 * 1024 - 1 }));
    expect(most).toBe(2 * 1024 * 1024);
  });
});

describe("a consumer with limits of its own", () => {
  it("is asked for no more than they permit", () => {
    const command = pulls(1000, { max_batch: 10, max_bytes: 65_536, max_expires: 4e9 }).next(100, NOTHING);
    expect(asked(command)).toEqual({ batch: 10, max_bytes: 65_536, expires: 4e9, idle_heartbeat: 2e9 });
  });

  it("whose messages do not fit is given up after a few requests in a row that brought nothing", () => {
    const some = pulls(1000, { max_bytes: 65_536 });
    const tooLarge = () => some.read(status("409 Message Size Exceeds MaxBytes")).type;
    expect([tooLarge(), tooLarge()]).toEqual(["ended", "ended"]);
    some.arrived();
    expect([tooLarge(), tooLarge(), tooLarge()]).toEqual(["ended", "ended", "wrong"]);
  });
});

describe("what the server says to a request", () => {
  it("takes what did not come out of the account", () => {
    const some = pulls();
    some.next(100, NOTHING);
    expect(some.read(status("100 Idle Heartbeat")).type).toBe("alive");
    expect(some.asked).toBe(200);
    const ended = some.read(status("408 Request Timeout", "Nats-Pending-Messages: 150", "Nats-Pending-Bytes: 0"));
    expect(ended.type).toBe("ended");
    expect(some.asked).toBe(50);
  });

  it.each([
    ["409 Consumer Deleted", "gone"],
    ["409 Server Shutdown", "gone"],
    ["503", "gone"],
    ["409 Consumer is push based", "wrong"],
    ["409 Leadership Change", "ended"],
    ["409 Batch Completed", "ended"],
    ["404 No Messages", "ended"],
    ["409 Exceeded MaxWaiting", "refused"],
  ])("%s: %s", (line, type) => {
    expect(pulls().read(status(line)).type).toBe(type);
  });

  it("says what is refused again and again, unless others may be the reason", () => {
    const some = pulls();
    const refused = (line: string) => Array.from({ length: 3 }, () => some.read(status(line)));
    expect(refused("409 Exceeded MaxWaiting").at(-1)).toEqual({ type: "refused" });
    expect(refused("409 Exceeded MaxAckPending").at(-1)).toEqual({ type: "refused" });
    const reason = "Exceeded MaxRequestExpires of 1s";
    expect(refused(`409 ${reason}`)).toEqual([{ type: "refused" }, { type: "refused" }, { type: "wrong", reason }]);
    expect(some.read(status("400 Bad Request - odd"))).toEqual({ type: "wrong", reason: "Bad Request - odd" });
  });

  it("asks for less where the consumer has a limit", () => {
    const some = pulls();
    some.next(100, NOTHING);
    some.read(status("409 Exceeded MaxRequestBatch of 7"));
    expect(asked(some.next(100, NOTHING))["batch"]).toBe(7);
  });
});
