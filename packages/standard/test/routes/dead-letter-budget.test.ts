import { messageBatch, texts } from "@mqb/testkit";
import { expect, it } from "vitest";
import { rejected } from "../failures.ts";
import { run, setUp } from "./setup.ts";

it("loses nothing of the batch in which the budget is used up: each message is sent, dead-lettered or given back", async () => {
  const { source, sink, dead, bridge } = setUp();
  source
    .push(messageBatch(100))
    .push(messageBatch(100, { from: 100 }))
    .pushEmpty();
  const isBad = (text: string): boolean => Number(text.split(" ")[1]) % 10 < 3;
  sink.failWhen((message) => (isBad(message.text()) ? rejected : undefined));
  const dlq = { dlq: { endpoint: { dead: {} }, stop_window: 100, stop_threshold: 10 } };
  const result = await run(bridge, "r", {
    input: { source: {} },
    output: { sink: {}, middlewares: [dlq] },
    exit_on_empty: true,
  });
  expect(result).toMatchObject({ outcome: "failed", error: { code: "MQB_STANDARD_DLQ_THRESHOLD" } });
  const [delivery] = source.deliveries;
  const dispositions = await delivery!.committed;
  const sent = new Set(texts(sink.messages));
  const letters = new Set(texts(dead.messages));
  expect(letters.size).toBe(11);
  for (const [index, { type }] of dispositions.entries()) {
    const text = `message ${index}`;
    if (type === "ack") expect(sent.has(text) || letters.has(text), text).toBe(true);
    else expect(letters.has(text), text).toBe(false);
  }
  expect(dispositions.filter(({ type }) => type === "nack").length).toBeGreaterThan(0);
  expect([...sent].filter((text) => Number(text.split(" ")[1]) < 100 && !isBad(text))).toHaveLength(70);
});
