import { createBridge, createRegistry } from "@mqb/core";
import { batchOf, Message } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { loadProvider } from "../src/client/provider.ts";
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
      if (outcome.type !== "failed") continue;
      const { code, message } = outcome.error as { readonly code?: string; readonly message: string };
      failed.set(i, `${code}: ${message}`);
    }
    return failed;
  } finally {
    await publisher.close();
  }
}

/** Reads everything by a cursor. */
export async function read(options: Readonly<Record<string, unknown>>, max = 1000): Promise<string[]> {
  const consumer = await createBridge({ registry }).openConsumer({ sqlx: options });
  const texts: string[] = [];
  try {
    for (;;) {
      const delivery = await consumer.receive(max, AbortSignal.timeout(200));
      if (delivery.batch.length === 0) return texts;
      texts.push(...Array.from(delivery.batch, (message) => message.text()));
      await delivery.commit();
    }
  } finally {
    await consumer.close();
  }
}

/** Runs statements on a connection of its own; gives the rows of the last one. */
export async function sql(path: string, ...statements: readonly string[]): Promise<unknown[][]> {
  const { DatabaseSync } = await loadProvider();
  const database = new DatabaseSync(path, {});
  try {
    let rows: unknown[] = [];
    for (const statement of statements) {
      const prepared = database.prepare(statement);
      prepared.setReadBigInts(true);
      prepared.setReturnArrays(true);
      rows = prepared.all();
    }
    return rows as unknown[][];
  } finally {
    database.close();
  }
}
