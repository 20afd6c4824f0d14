import { createBridge, createRegistry, defineConfig, type Message, MqbError } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";

interface Reading {
  readonly sensor: string;
  readonly celsius?: number;
}

// The types of both plugins are known here: a misspelt option is an error in the editor.
const { routes } = defineConfig({
  routes: {
    convert: {
      exit_on_empty: true,
      input: { file: { path: "readings.jsonl", format: "raw" } },
      output: { file: { path: "out/readings.jsonl", format: "raw" }, middlewares: [{ retry: { max_attempts: 3 } }] },
    },
  },
});

/** Warm readings go on, in Fahrenheit; cold ones are done with; what is no reading is refused for good. */
function convert(message: Message): Message | undefined {
  const { sensor, celsius } = message.json() as Reading;
  if (celsius === undefined) throw new MqbError("EXAMPLE_NO_READING", "permanent", `${sensor} sent no temperature`);
  if (celsius < 0) return undefined;
  return message.with({ payload: Buffer.from(JSON.stringify({ sensor, fahrenheit: celsius * 1.8 + 32 })) });
}

const bridge = createBridge({ registry: createRegistry([standard, file]) });
const route = bridge.route("convert", routes.convert, { handler: convert });
await route.start();
const { outcome, accounting, drops } = await route.done;
console.log(`${outcome}: ${accounting.received} received, ${accounting.delivered} delivered`);
for (const { code, count, cause } of drops) console.log(`dropped ${count}: ${code}, ${cause}`);
