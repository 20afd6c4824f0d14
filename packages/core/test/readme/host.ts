import { createBridge, createRegistry } from "@mqb/core";
import shelf from "./author.ts";

const bridge = createBridge({ registry: createRegistry([shelf]) });
const route = bridge.route(
  "upper",
  { input: { shelf: { topic: "letters" } }, output: { shelf: { topic: "capitals" } }, exit_on_empty: true },
  { handler: (message) => message.with({ payload: Buffer.from(message.text().toUpperCase()) }) },
);
await route.start();
const { outcome, accounting } = await route.done;
console.log(outcome, accounting.delivered); // completed 3
