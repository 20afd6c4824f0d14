import { Message } from "@mqb/core/plugin";
import { connect, headers, type NatsConnection } from "nats";
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
