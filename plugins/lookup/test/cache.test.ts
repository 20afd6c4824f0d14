import { failed, Message, MqbError, replied } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { ASKED, Asked, batch, contextWith, lines, never, openOutput } from "./looking.ts";

type Settings = Readonly<Record<string, unknown>>;

async function opened(cache: Settings, answer: (id: string) => string = (id) => `"${id}"`) {
  const asked = new Asked((request) => answer(String((request.json() as { id?: unknown }).id)));
  const context = contextWith({ asked });
  const config = { ...ASKED, cache: { key: "${payload:id}", ...cache } as never };
  const { publisher, sink } = await openOutput(config, { asked }, context);
  const send = async (...ids: readonly unknown[]): Promise<void> => {
    await publisher.send(lines(...ids.map((id) => JSON.stringify({ id }))), never);
  };
  return { asked, publisher, sink, send, context };
}

describe("a cache", () => {
  it("asks once for equal keys of a batch, and writes the answer into each message", async () => {
    const { asked, sink, send } = await opened({});
    await send(1, 2, 1, 1, 2);
    expect(asked.texts).toEqual(['{"id":1}', '{"id":2}']);
    expect(sink.messages.map((message) => message.text())).toEqual(
      [1, 2, 1, 1, 2].map((id) => `{"id":${id},"user":"${id}"}`),
    );
  });

  it("asks once for messages that come while the answer is on its way", async () => {
    const { asked, publisher, sink } = await opened({ ttl_ms: 0 });
    asked.hold();
    const first = publisher.send(batch('{"id":1}'), never);
    await asked.sent(1);
    const second = publisher.send(batch('{"id":1}', '{"id":2}'), never);
    await asked.sent(2);
    asked.release();
    await Promise.all([first, second]);
    expect(asked.texts).toEqual(['{"id":1}', '{"id":2}']);
    expect(sink.messages.map((message) => message.text()).sort()).toEqual([
      '{"id":1,"user":"1"}',
      '{"id":1,"user":"1"}',
      '{"id":2,"user":"2"}',
    ]);
    // Nothing was kept: the next one asks again.
    await publisher.send(batch('{"id":1}'), never);
    expect(asked.texts).toHaveLength(3);
  });

  it("uses an answer for its time and no longer", async () => {
    const { asked, send, context } = await opened({ ttl_ms: 1000 });
    await send(1);
    await context.clock.advance(999);
    await send(1);
    expect(asked.texts).toHaveLength(1);
    await context.clock.advance(1);
    await send(1);
    expect(asked.texts).toHaveLength(2);
  });

  it("remembers that nothing was found for a time of its own", async () => {
    const { asked, send, context } = await opened({ ttl_ms: 1000, missing_ttl_ms: 10 }, () => "");
    await send(1);
    await send(1);
    expect(asked.texts).toHaveLength(1);
    await context.clock.advance(10);
    await send(1);
    expect(asked.texts).toHaveLength(2);
  });

  it("forgets at once that nothing was found with missing_ttl_ms: 0, and remembers it as long as answers without", async () => {
    const off = await opened({ missing_ttl_ms: 0 }, () => "");
    await off.send(1);
    await off.send(1);
    expect(off.asked.texts).toHaveLength(2);
    const on = await opened({}, () => "");
    await on.send(1);
    await on.send(1);
    expect(on.asked.texts).toHaveLength(1);
  });

  it("drops what was not used for longest when there are too many", async () => {
    const { asked, send } = await opened({ max_entries: 2 });
    await send(1, 2);
    await send(1);
    await send(3);
    await send(1);
    expect(asked.texts).toHaveLength(3);
    await send(2);
    expect(asked.texts).toHaveLength(4);
  });

  it("stays within its bytes, and keeps no answer that is larger than all of them", async () => {
    const { asked, send, publisher } = await opened({ max_bytes: 1000 }, (id) => `"${"x".repeat(Number(id))}"`);
    await send(300, 301, 302, 303);
    await send(303);
    expect(asked.texts).toHaveLength(4);
    await send(300);
    expect(asked.texts).toHaveLength(5);
    await send(5000);
    await send(5000);
    expect(asked.texts).toHaveLength(7);
    expect(publisher.status!().details).toMatchObject({ lookup: { user: { details: { cache: { entries: 2 } } } } });
  });

  it("keeps no failure", async () => {
    const { asked, publisher } = await opened({});
    const error = new MqbError("MQB_TEST", "retryable", "busy");
    const good = asked.answer;
    asked.answer = () => failed(error);
    const both = await publisher.send(batch('{"id":1}', '{"id":1}'), never);
    expect(both).toEqual([failed(error), failed(error)]);
    asked.answer = good;
    expect(await publisher.send(batch('{"id":1}'), never)).toBeUndefined();
  });

  it("outlives a reconnect", async () => {
    const { asked, send, context } = await opened({});
    await send(1);
    const again = await openOutput({ ...ASKED, cache: { key: "${payload:id}" } }, { asked }, context);
    await again.publisher.send(batch('{"id":1}'), never);
    expect(asked.texts).toHaveLength(1);
  });

  it("keeps its own copy of an answer that lies in a larger buffer", async () => {
    const large = Buffer.from('"answer"'.padEnd(100));
    const { asked, publisher, sink } = await opened({});
    asked.answer = () => replied(new Message(large.subarray(0, 8)));
    await publisher.send(batch('{"id":1}'), never);
    large.fill(0);
    await publisher.send(batch('{"id":1}'), never);
    expect(sink.messages[1]!.text()).toBe('{"id":1,"user":"answer"}');
  });
});

describe("a key", () => {
  const keysOf = async (key: string | readonly string[], ...payloads: readonly string[]): Promise<number> => {
    const { asked, publisher } = await opened({ key });
    await publisher.send(batch(...payloads), never);
    return asked.texts.length;
  };

  it.each([
    ["writings of one number", 1, ['{"id":7}', '{"id":7.0}', '{"id":7e0}', '{"id":70e-1}']],
    ["zeros", 1, ['{"id":0}', '{"id":-0}', '{"id":0.0}', '{"id":-0.0}']],
    ["numbers that a double cannot tell apart", 2, ['{"id":9007199254740993}', '{"id":9007199254740992}']],
    ["a number and a text", 2, ['{"id":7}', '{"id":"7"}']],
    ["null and a text", 2, ['{"id":null}', '{"id":"null"}']],
    ["true and a text", 2, ['{"id":true}', '{"id":"true"}']],
    ["a text and its escaped writing", 1, ['{"id":"a"}', '{"id":"\\u0061"}']],
    ["an object with its keys in another order", 1, ['{"id":{"a":1,"b":[2]}}', '{"id":{"b":[2.0],"a":1}}']],
    ["the last of a key that is there twice", 1, ['{"id":1,"id":2}', '{"id":2}']],
    ["messages without it are each asked for", 2, ["{}", "{}"]],
  ])("of a field: %s -> %i", async (_, count, payloads) => {
    expect(await keysOf("${payload:id}", ...payloads)).toBe(count);
  });

  it.each([
    ["a position", "${payload:ids.1}", 1, ['{"ids":[1,2]}', '{"ids":[3,2]}']],
    ["a key of digits", "${payload:ids.1}", 1, ['{"ids":{"1":2}}', '{"ids":{"1":2,"0":9}}']],
    ["hostile names", "${payload:__proto__.x}", 2, ['{"__proto__":{"x":1}}', '{"__proto__":{"x":2}}']],
    ["a text with a field in it", "u-${payload:id}", 1, ['{"id":1,"a":1}', '{"id":1,"a":2}']],
  ])("of %s", async (_, key, count, payloads) => {
    expect(await keysOf(key, ...payloads)).toBe(count);
  });

  it("of several values never takes two lists of values for the same", async () => {
    const key = ["${payload:a}", "${payload:b}"];
    const different = ['{"a":"x|y","b":"z"}', '{"a":"x","b":"y|z"}', '{"a":"1:","b":""}', '{"a":"","b":"1:"}'];
    expect(await keysOf(key, ...different)).toBe(4);
    expect(await keysOf(key, ...different, ...different)).toBe(4);
    expect(await keysOf(key, '{"a":1}', '{"a":1}')).toBe(2);
  });

  it("of an object that is not UTF-8 is none: the message is asked for, and nobody waits for ever", async () => {
    const asked = new Asked(() => "1");
    const { publisher, sink } = await openOutput({ ...ASKED, cache: { key: "${payload:id}" } }, { asked });
    const odd = () => new Message(Buffer.from('{"id":{"a":"\xff"}}', "latin1"));
    for (let i = 0; i < 2; i++) await publisher.send(batch('{"id":7}', odd(), odd()), never);
    expect(asked.requests).toHaveLength(5);
    expect(sink.messages).toHaveLength(6);
  });

  it("of a text that is not UTF-8 is none: different bytes would become the same text", async () => {
    const asked = new Asked(() => "1");
    const { publisher } = await openOutput({ ...ASKED, cache: { key: "${payload:id}" } }, { asked });
    const odd = (byte: number) =>
      new Message(Buffer.concat([Buffer.from('{"id":"'), Buffer.of(byte), Buffer.from('"}')]));
    const real = () => new Message('{"id":"\ufffd"}');
    await publisher.send(batch(odd(0xfe), odd(0xff), real(), real()), never);
    expect(asked.requests).toHaveLength(3);
  });

  it("of metadata", async () => {
    const { asked, publisher } = await opened({ key: "${metadata:m}" });
    const with1 = () => new Message('{"id":1}', new Map([["m", "1"]]));
    await publisher.send(batch(with1(), with1(), "{}", "{}"), never);
    expect(asked.texts).toHaveLength(3);
  });
});
