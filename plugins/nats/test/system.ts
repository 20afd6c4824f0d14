import { Message } from "@mqb/core/plugin";
import { AckPolicy, connect, headers, type NatsConnection, nanos } from "nats";
import { durableName } from "../src/names.ts";
import { addressOf } from "./servers.ts";

/** An ordinary client of the server, as a stranger would use it. */
export async function withClient<T>(url: string, work: (client: NatsConnection) => Promise<T>): Promise<T> {
  const { host, port } = addressOf(url);
  const client = await connect({ servers: `${host}:${port}`, name: "test" });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** A stream with the durable consumer that the endpoint looks for, as somebody may have tuned it. */
export async function makeConsumer(url: string, stream: string, subject: string, ackWaitMs: number): Promise<void> {
  await withClient(url, async (client) => {
    const manager = await client.jetstreamManager();
    await manager.streams.add({ name: stream, subjects: [`${stream}.>`] });
    await manager.consumers.add(stream, {
      durable_name: durableName(stream, subject),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      filter_subject: subject,
      max_ack_pending: 10_000,
    });
  });
}

export async function removeStream(url: string, stream: string): Promise<void> {
  await withClient(url, async (client) => {
    await (await client.jetstreamManager()).streams.delete(stream).catch(() => {});
  });
}

/** Sends a request and waits for its answer; `native`: at the reply subject of core NATS, `header`: where a header says. */
export function request(url: string, subject: string, message: Message, how: "native" | "header"): Promise<Message> {
  return withClient(url, async (client) => {
    const inbox = `_INBOX.test.${Math.random().toString(36).slice(2)}`;
    const replies = client.subscribe(inbox, { max: 1, timeout: 10_000 });
    const lines = headers();
    for (const [name, value] of message.metadata) lines.set(name, value);
    if (how === "header") lines.set("reply_to", inbox);
    client.publish(subject, message.payload, { headers: lines, ...(how === "native" ? { reply: inbox } : {}) });
    for await (const reply of replies) return new Message(reply.data);
    throw new Error("the subscription has ended without a reply");
  });
}
