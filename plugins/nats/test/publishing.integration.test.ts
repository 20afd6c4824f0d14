import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, kindOf, Message, type Outcome } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { eventually, FaultProxy, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { Ends, forever } from "./ends.ts";
import { RawClient } from "./raw-client.ts";
import { addressOf, freshName, NATS_URL, urlOf, withServer } from "./servers.ts";
import { shownHeaders } from "./vector.ts";

const url = NATS_URL;
const MEBIBYTE = 1024 * 1024;

function failure(outcome: Outcome | undefined): { code: string; kind: string; message: string } {
  if (outcome?.type !== "failed") throw new Error(`it has not failed: ${outcome?.type}`);
  return outcome.error as { code: string; kind: string; message: string };
}

async function stored(client: RawClient, stream: string): Promise<number> {
  const { state } = (await client.api(`STREAM.INFO.${stream}`)) as { state?: { messages: number } };
  return state?.messages ?? 0;
}

async function payloads(client: RawClient, stream: string, count: number): Promise<string[]> {
  const found: string[] = [];
  for (let seq = 1; seq <= count; seq++) {
    const { message } = (await client.api(`STREAM.MSG.GET.${stream}`, { seq })) as { message: { data: string } };
    found.push(Buffer.from(message.data, "base64").toString());
  }
  return found;
}

await withServer("nats", url, () => {
  describe("an output to a stream", () => {
    it("lets a message that is too large fail alone and for good, with the limit in the text", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const stream = freshName();
      const publisher = await ends.output({ url, stream, subject: `${stream}.a` });
      const messages = Array.from({ length: 10 }, (_, n) =>
        n === 4
          ? new Message(Buffer.alloc(2 * MEBIBYTE + 1))
          : n === 7
            ? new Message(Buffer.alloc(2 * MEBIBYTE - 100), new Map([["h", "x".repeat(200)]]))
            : new Message(`${n}`),
      );
      const outcomes = await publisher.send(batchOf(messages), forever);
      for (const index of [4, 7]) {
        const error = failure(outcomes![index]);
        expect(error).toMatchObject({ code: "MQB_NATS_TOO_LARGE", kind: "permanent" });
        expect(error.message).toContain(`${2 * MEBIBYTE}`);
      }
      expect(outcomes!.filter(({ type }) => type === "accepted")).toHaveLength(8);
      expect(await stored(client, stream)).toBe(8);
      expect(publisher.status?.().healthy).toBe(true);
      await client.api(`STREAM.DELETE.${stream}`);
    });

    it("waits for a stream that is full and keeps what it has", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const stream = freshName();
      await client.api(`STREAM.CREATE.${stream}`, {
        name: stream,
        subjects: [`${stream}.>`],
        max_msgs: 2,
        discard: "new",
      });
      const publisher = await ends.output({ url, stream, subject: `${stream}.a` });
      const outcomes = await publisher.send(batchOf([1, 2, 3].map((n) => new Message(`${n}`))), forever);
      expect(outcomes!.map(({ type }) => type)).toEqual(["accepted", "accepted", "failed"]);
      expect(failure(outcomes![2])).toMatchObject({ code: "MQB_NATS_NOT_STORED", kind: "retryable" });
      await client.api(`STREAM.PURGE.${stream}`);
      expect(await publisher.send(batchOf([new Message("3")]), forever)).toBeUndefined();
      await client.api(`STREAM.DELETE.${stream}`);
    });

    it("gives a message that the stream refuses up, and only that", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const stream = freshName();
      await client.api(`STREAM.CREATE.${stream}`, { name: stream, subjects: [`${stream}.>`], max_msg_size: 100 });
      const publisher = await ends.output({ url, stream, subject: `${stream}.a` });
      const outcomes = await publisher.send(batchOf([new Message("x".repeat(200)), new Message("y")]), forever);
      expect(failure(outcomes![0])).toMatchObject({ code: "MQB_NATS_REFUSED", kind: "permanent" });
      expect(outcomes![1]!.type).toBe("accepted");
      await client.api(`STREAM.DELETE.${stream}`);
    });

    it("takes a stream that is deleted for a lost connection, and makes it again", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const stream = freshName();
      const publisher = await ends.output({ url, stream, subject: `${stream}.a` });
      await client.api(`STREAM.DELETE.${stream}`);
      const outcomes = await publisher.send(batchOf([new Message("1")]), forever);
      expect(failure(outcomes![0])).toMatchObject({ code: "MQB_NATS_NO_STREAM_NOW", kind: "connection" });
      const again = await ends.output({ url, stream, subject: `${stream}.a` });
      expect(await again.send(batchOf([new Message("1")]), forever)).toBeUndefined();
      expect(await stored(client, stream)).toBe(1);
      await client.api(`STREAM.DELETE.${stream}`);
    });

    it("stores a batch in its order, also one that is larger than what may be on the way", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const stream = freshName();
      const publisher = await ends.output({ url, stream, subject: `${stream}.a` });
      const texts = Array.from({ length: 9000 }, (_, n) => `${n}`);
      const halves = [texts.slice(0, 6000), texts.slice(6000)];
      const sending = halves.map((half) => publisher.send(batchOf(half.map((text) => new Message(text))), forever));
      expect(await Promise.all(sending)).toEqual([undefined, undefined]);
      expect(await stored(client, stream)).toBe(9000);
      const consumer = await ends.input({ url, stream, subject: `${stream}.a` });
      const found: string[] = [];
      while (found.length < 9000) {
        const delivery = await consumer.receive(1000, AbortSignal.timeout(20_000));
        for (const message of delivery.batch) found.push(message.text());
        await delivery.commit();
      }
      expect(found).toEqual(texts);
      await client.api(`STREAM.DELETE.${stream}`);
    });

    it("stores a message once that is sent twice with deduplicate", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const stream = freshName();
      const publisher = await ends.output({ url, stream, subject: `${stream}.a`, deduplicate: true });
      const messages = ["a", "b"].map((text) => new Message(text));
      expect(await publisher.send(batchOf(messages), forever)).toBeUndefined();
      expect(await publisher.send(batchOf([...messages, new Message("c")]), forever)).toBeUndefined();
      expect(await payloads(client, stream, 3)).toEqual(["a", "b", "c"]);
      expect(await stored(client, stream)).toBe(3);
      await client.api(`STREAM.DELETE.${stream}`);
    });

    it("says what is lost with delayed_ack", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const stream = freshName();
      const publisher = await ends.output({ url, stream, subject: `${stream}.a`, delayed_ack: true });
      expect(await publisher.send(batchOf([new Message("1")]), forever)).toBeUndefined();
      await publisher.flush!();
      expect(await stored(client, stream)).toBe(1);
      await client.api(`STREAM.DELETE.${stream}`);
      expect(await publisher.send(batchOf([new Message("2")]), forever)).toBeUndefined();
      await publisher.flush!();
      expect(ends.context.log.at("error").join()).toContain("lost");
      expect(publisher.status?.().details).toMatchObject({ refused: 1 });
    });

    it("goes to whichever stream holds the subject, and does not start when none does", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const [stream, other] = [freshName(), freshName()];
      await client.api(`STREAM.CREATE.${stream}`, { name: stream, subjects: [`${stream}.>`] });
      const publisher = await ends.output({ url, subject: `${stream}.a` });
      expect(await publisher.send(batchOf([new Message("1")]), forever)).toBeUndefined();
      const named = await ends.output({ url, stream: other, subject: `${stream}.a` });
      expect(await named.send(batchOf([new Message("2")]), forever)).toBeUndefined();
      expect(ends.context.log.at("warn").join()).toContain(stream);
      expect(await stored(client, stream)).toBe(2);
      await expect(ends.output({ url, subject: `${other}.a` })).rejects.toMatchObject({
        code: "MQB_NATS_NO_STREAM_FOR",
      });
      await expect(ends.output({ url, stream, subject: `${other}.a` })).rejects.toMatchObject({
        code: "MQB_NATS_STREAM_SUBJECT",
        message: expect.stringContaining(`${stream}.>`),
      });
      await client.api(`STREAM.DELETE.${stream}`);
    });

    it("never lets metadata become another header, and says once what it does not send", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const subject = freshName();
      const seen = await client.collect(subject);
      const publisher = await ends.output({ url, subject, no_jetstream: true });
      const bad = new Map([
        ["v", "a\r\nX-Admin: 1"],
        ["Nats-Rollup", "all"],
        ["bad name", "1"],
        ["ok", "x".repeat(20_000)],
        ["__proto__", "p"],
      ]);
      for (let n = 0; n < 2; n++) await publisher.send(batchOf([new Message("m", bad)]), forever);
      await eventually(() => seen.length === 2, "the messages");
      const { pairs } = shownHeaders(seen[0]!.headers) as { pairs: [string, string][] };
      expect(pairs.map(([name]) => name)).toEqual(["__proto__", "mq_bridge.message_id", "ok"]);
      expect(ends.context.log.at("warn")).toHaveLength(3);
      expect(publisher.status?.().details).toMatchObject({ withheldMetadata: 6 });
    });
  });

  describe("a request", () => {
    it("is answered by whoever listens, each of a hundred by its own answer", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const subject = freshName();
      client.subscribe(subject, ({ payload, reply }) => {
        client.publish({ subject: reply!, payload: `re ${payload}`, headers: [["kind", "answer"]] });
      });
      await client.flush();
      const publisher = await ends.output({ url, subject, request_reply: true });
      const asked = Array.from({ length: 100 }, (_, n) => new Message(`${n}`));
      const answers = await Promise.all(asked.map((message) => publisher.send(batchOf([message]), forever)));
      for (const [n, [outcome]] of (answers as Outcome[][]).entries()) {
        if (outcome?.type !== "replied") throw new Error(`${n} was not answered`);
        expect(outcome.message.text()).toBe(`re ${n}`);
        expect(outcome.message.id).toBe(asked[n]!.id);
        expect(outcome.message.metadata.get("kind")).toBe("answer");
      }
    });

    it("warns of nothing when many wait with the signal of one route", async () => {
      const warnings: Error[] = [];
      const note = (warning: Error): void => void warnings.push(warning);
      process.on("warning", note);
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const subject = freshName();
      client.subscribe(subject, ({ reply: to }) => client.publish({ subject: to! }));
      await client.flush();
      const { signal } = new AbortController();
      const asking = await ends.output({ url, subject, request_reply: true });
      const telling = await ends.output({ url, subject: freshName(), no_jetstream: true });
      const all = Array.from({ length: 20 }, () =>
        [asking, telling].map((one) => one.send(batchOf([new Message("")]), signal)),
      );
      await Promise.all(all.flat());
      process.off("warning", note);
      expect(warnings).toEqual([]);
    });

    it("that nobody answers, or not in time, is retryable", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      const subject = freshName();
      const publisher = await ends.output({ url, subject, request_reply: true, request_timeout_ms: 50 });
      const nobody = await publisher.send(batchOf([new Message("1")]), forever);
      expect(failure(nobody![0])).toMatchObject({ code: "MQB_NATS_NO_RESPONDER", kind: "retryable" });
      await client.collect(subject);
      const late = await publisher.send(batchOf([new Message("1")]), forever);
      expect(failure(late![0])).toMatchObject({ code: "MQB_NATS_REQUEST_TIMEOUT", kind: "retryable" });
    });

    it("whose replier is lost with the connection fails as a lost connection", async () => {
      await using ends = new Ends();
      await using client = await RawClient.to(url);
      await using proxy = await FaultProxy.to(addressOf(url));
      const subject = freshName();
      const requests = await client.collect(subject);
      const publisher = await ends.output({ url: urlOf(proxy.address), subject, request_reply: true });
      const sending = publisher.send(batchOf([new Message("1")]), forever);
      await eventually(() => requests.length === 1, "the request");
      proxy.cut();
      const outcomes = await within(sending, "the end of the request");
      expect(kindOf(failure(outcomes![0]), "retryable")).toBe("connection");
    });
  });

  describe("a route that asks over NATS and answers over NATS", () => {
    it("brings a hundred answers to their requests", async () => {
      const bridge = createBridge({ registry: createRegistry([plugin, standard]) });
      const subject = freshName();
      const answering = bridge.route(
        "answering",
        { input: { nats: { url, stream: "any", subject, no_jetstream: true } }, output: { response: {} } },
        { handler: (message) => message.with({ payload: Buffer.from(`re ${message.text()}`) }) },
      );
      await answering.start();
      await using ends = new Ends();
      const publisher = await ends.output({ url, subject, request_reply: true });
      const asked = Array.from({ length: 100 }, (_, n) => new Message(`${n}`, new Map([["n", `${n}`]])));
      const outcomes = await within(publisher.send(batchOf(asked), forever), "the answers");
      for (const [n, outcome] of outcomes!.entries()) {
        if (outcome.type !== "replied") throw new Error(`${n}: ${outcome.type}`);
        expect([outcome.message.text(), outcome.message.metadata.get("n")]).toEqual([`re ${n}`, `${n}`]);
      }
      await answering.stop();
    });
  });
});
