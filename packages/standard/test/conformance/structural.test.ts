import type { Message, OpenContext } from "@mqb/core/plugin";
import { testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import standard from "../../src/index.ts";

const TOPIC = { memory: { topic: "t", capacity: 1_000 } };

/** Everything that has arrived in the topic. */
async function read(context: OpenContext): Promise<Message[]> {
  const consumer = await context.openConsumer(TOPIC, "read");
  const found: Message[] = [];
  for (;;) {
    const delivery = await consumer.receive(10_000, AbortSignal.abort());
    await delivery.commit();
    if (delivery.batch.length === 0) break;
    found.push(...delivery.batch);
  }
  await consumer.close();
  return found;
}

const OUTPUTS = {
  fanout: [{ null: {} }, TOPIC],
  switch: { metadata_key: "no such key", cases: { a: { null: {} } }, default: TOPIC },
};

for (const endpoint of ["fanout", "switch"] as const) {
  const output = OUTPUTS[endpoint];
  testConnector(
    { describe, it },
    { plugin: standard, endpoint, config: { output }, fixture: { fresh: async () => ({ output, read }) } },
  );
}
