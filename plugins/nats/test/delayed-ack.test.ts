import { batchOf, type Clock, Message } from "@mqb/core/plugin";
import { FakeClock, fakeContext, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { errors } from "../src/errors.ts";
import { FlushingPublisher } from "../src/publisher/flushing-publisher.ts";
import { FakeConnection } from "./consumer-fakes.ts";
import { frameOf } from "./frame-of.ts";

const never = new AbortController().signal;
const batch = (count: number) => batchOf(Array.from({ length: count }, (_, n) => new Message(`${n}`)));

function open() {
  const connection = new FakeConnection();
  const clock = new FakeClock();
  const context = fakeContext({ clock: clock as Clock });
  const settings = { subject: "s.a", deduplicate: false, inbox: "_INBOX.i" };
  const publisher = new FlushingPublisher(connection.shared, settings, context as never);
  const said = () => JSON.stringify(context.log);
  return { connection, clock, publisher, said };
}

describe("an output that does not wait for acknowledgements", () => {
  it("waits for them at its end, for everybody who asks, and no foreign answer counts", async () => {
    const { connection, publisher, said } = open();
    await publisher.send(batch(1), never);
    const waits = [publisher.flush(), publisher.flush()];
    connection.hear(frameOf({ payload: '{"status":"ok"}' }));
    expect(publisher.status().pending).toBe(1);
    connection.hear(frameOf({ payload: '{"stream":"s", "seq":1}' }));
    await within(Promise.all(waits), "both");
    await publisher.close();
    expect(said()).not.toContain("may be lost");
  });

  it.each([
    ["the connection is lost", ({ connection }: ReturnType<typeof open>) => connection.lose(new Error("cut"))],
    ["it is closed", ({ publisher }: ReturnType<typeof open>) => void publisher.close()],
    ["the wait is over", ({ clock }: ReturnType<typeof open>) => void clock.advance(5000)],
  ])("says how many are missing when %s, and waits no longer", async (_, happen) => {
    const all = open();
    await all.publisher.send(batch(3), never);
    const waits = [all.publisher.flush(), all.publisher.flush()];
    happen(all);
    await within(Promise.all(waits), "both");
    expect(all.said()).toContain("3 message(s) sent with delayed_ack were not acknowledged");
    await all.publisher.close();
  });

  it("fails when it may not listen for them", async () => {
    const { connection, publisher } = open();
    connection.refuse();
    await expect(publisher.send(batch(1), never)).rejects.toMatchObject({
      code: errors.NOT_PERMITTED({ target: "t", what: "w" }).code,
      kind: "config",
    });
    await publisher.close();
  });
});
