import { batchOf, Message, slabBatch } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { FrameWriter } from "../src/wire/frames.ts";

const ID = "0190aaaa-0000-7000-8000-000000000001";
const HEX = ID.replaceAll("-", "");

function writer(options: { deduplicate?: boolean; subject?: string; limit?: number } = {}) {
  const written: Buffer[] = [];
  const frames = new FrameWriter({
    subject: options.subject ?? "s.a",
    deduplicate: options.deduplicate ?? false,
    limit: options.limit ?? 1024 * 1024,
    write: (commands) => written.push(Buffer.from(commands)),
    withheld: () => {},
  });
  const text = (): string => {
    frames.flush();
    return Buffer.concat(written).toString("utf8");
  };
  return { frames, text, written };
}

const one = (payload: string, metadata: [string, string][] = []) =>
  batchOf([new Message(payload, new Map(metadata), ID)]);

describe("messages as commands", () => {
  it("has the id alone where there is no metadata", () => {
    const { frames, text } = writer();
    frames.add(one("hi"), 0, "");
    const head = `NATS/1.0\r\nmq_bridge.message_id: ${HEX}\r\n\r\n`;
    expect(text()).toBe(`HPUB s.a ${head.length} ${head.length + 2}\r\n${head}hi\r\n`);
  });

  it("counts bytes, not characters, and asks for its answer", () => {
    const { frames, text } = writer({ subject: "s.größe" });
    frames.add(one("€", [["uni", "ü"]]), 0, "_INBOX.x.1.0");
    const head = `NATS/1.0\r\nmq_bridge.message_id: ${HEX}\r\nuni: ü\r\n\r\n`;
    const length = Buffer.byteLength(head);
    expect(text()).toBe(`HPUB s.größe _INBOX.x.1.0 ${length} ${length + 3}\r\n${head}€\r\n`);
  });

  it("sends the id for deduplication unless the metadata has one", () => {
    const own = writer({ deduplicate: true });
    own.frames.add(one("", [["Nats-Msg-Id", "mine"]]), 0, "");
    expect(own.text().match(/Nats-Msg-Id: .*/g)).toEqual(["Nats-Msg-Id: mine"]);
    const made = writer({ deduplicate: true });
    made.frames.add(one(""), 0, "");
    expect(made.text()).toContain(`\r\nNats-Msg-Id: ${HEX}\r\n\r\n`);
  });

  it("writes what metadata has become when they are sent again", () => {
    const { frames, text } = writer();
    const metadata = new Map([["step", "1"]]);
    frames.add(batchOf([new Message("", metadata)]), 0, "");
    frames.flush();
    // Nothing is collected any more when the next one comes.
    frames.flush();
    metadata.set("step", "2");
    frames.add(batchOf([new Message("", metadata)]), 0, "");
    expect(text().match(/step: \d/g)).toEqual(["step: 1", "step: 2"]);
  });

  it("writes the ids of a slab that were never texts", () => {
    const bytes = Buffer.from("abcdef");
    const batch = slabBatch({ bytes, starts: Uint32Array.of(0, 3), ends: Uint32Array.of(3, 6) });
    const { frames, text } = writer();
    frames.add(batch, 0, "");
    frames.add(batch, 1, "");
    const hex = (index: number): string => batch.id(index).replaceAll("-", "");
    expect(text()).toMatch(
      new RegExp(`message_id: ${hex(0)}\\r\\n\\r\\nabc\\r\\n[^]*message_id: ${hex(1)}\\r\\n\\r\\ndef\\r\\n$`),
    );
  });

  it("does not write what the server would not take, and says how much it is", () => {
    const { frames, text } = writer({ limit: 100 });
    expect(frames.add(one("x".repeat(80)), 0, "")).toBeGreaterThan(100);
    expect(frames.add(one("x"), 0, "")).toBe(0);
    expect(text().match(/HPUB/g)).toHaveLength(1);
  });

  it("keeps many messages and large ones whole and in order", () => {
    const payloads = Array.from({ length: 300 }, (_, n) => `${n}:`.padEnd((n % 7) * 9000, "x"));
    const batch = batchOf(payloads.map((payload) => new Message(payload)));
    const { frames, text, written } = writer();
    for (let i = 0; i < payloads.length; i++) frames.add(batch, i, "");
    let at = 0;
    const all = Buffer.from(text());
    for (const payload of payloads) {
      const end = all.indexOf("\r\n", at);
      const [, , head, total] = all
        .toString("latin1", at, end)
        .split(" ")
        .map((word) => Number(word));
      expect(all.toString("latin1", end + 2 + head!, end + 2 + total!)).toBe(payload);
      at = end + 2 + total! + 2;
    }
    expect(at).toBe(all.length);
    expect(written.length).toBeLessThan(payloads.length / 2);
  });
});
