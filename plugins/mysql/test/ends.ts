import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, Message } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import plugin from "../src/index.ts";

const registry = createRegistry([standard, plugin]);

/** Sends payloads as one batch; gives the error for each that failed, by position. */
export async function send(
  options: Readonly<Record<string, unknown>>,
  payloads: readonly (string | Message)[],
): Promise<Map<number, string>> {
  const publisher = await createBridge({ registry }).openPublisher({ sqlx: options });
  try {
    const messages = payloads.map((payload) => (typeof payload === "string" ? new Message(payload) : payload));
    const outcomes = (await publisher.send(batchOf(messages), new AbortController().signal)) ?? [];
    const failed = new Map<number, string>();
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.type === "failed")
        failed.set(i, `${(outcome.error as { code?: string }).code}: ${(outcome.error as Error).message}`);
    }
    return failed;
  } finally {
    await publisher.close();
  }
}

/** Reads everything by a cursor. */
export async function read(options: Readonly<Record<string, unknown>>, max = 1000): Promise<string[]> {
  const bridge = createBridge({ registry });
  const consumer = await bridge.openConsumer({ sqlx: options });
  const texts: string[] = [];
  try {
    for (;;) {
      const signal = AbortSignal.timeout(300);
      const delivery = await consumer.receive(max, signal);
      if (delivery.batch.length === 0) return texts;
      texts.push(...Array.from(delivery.batch, (message) => message.text()));
      await delivery.commit();
    }
  } finally {
    await consumer.close();
  }
}
