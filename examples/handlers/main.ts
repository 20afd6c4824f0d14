import { createBridge } from "@mqb/core";
import {
  type CodeRegistry,
  command,
  createCodeRegistry,
  EndOfStream,
  event,
  handlerByKind,
  jsonMessage,
  openReceiver,
  openSender,
} from "@mqb/handlers";
import standard from "@mqb/standard";
import * as z from "zod";

const orderSchema = z.object({ id: z.string(), amount: z.number().positive() });

/** What becomes of a message follows from its metadata `kind`. */
const handler = handlerByKind({
  // A command makes a message of each: here the amount with tax.
  order: command(orderSchema, ({ id, amount }) => ({ id, gross: amount * 1.19 })),
  // An event is only looked at.
  ping: event((message) => console.log(`ping: ${message.text()}`)),
});

/** A source and a middleware made of functions. */
function ownRegistry(): CodeRegistry {
  const registry = createCodeRegistry([standard]);
  registry.registerEndpoint<{ readonly upTo: number }>("counter", (_route, { upTo }) => {
    let next = 1;
    return {
      receiveBatch(max) {
        if (next > upTo) throw new EndOfStream();
        const count = Math.min(max, upTo - next + 1);
        return Array.from({ length: count }, () =>
          jsonMessage({ id: `o${next}`, amount: next++ * 100 }, { kind: "order" }),
        );
      },
    };
  });
  registry.registerMiddleware<{ readonly above: number }>("large", (_route, { above }) => ({
    onReceive: (messages) => messages.map((one) => ((one.json() as { amount: number }).amount > above ? one : null)),
  }));
  return registry;
}

const bridge = createBridge({ registry: ownRegistry() });

/** A route from the counter, through the handler, into a topic. */
async function runRoute(): Promise<void> {
  const route = bridge.route(
    "orders",
    {
      input: {
        custom: { name: "counter", config: { upTo: 3 } },
        middlewares: [{ custom: { name: "large", config: { above: 100 } } }],
      },
      output: { memory: { topic: "gross" } },
    },
    { handler },
  );
  await route.start();
  const { outcome, accounting } = await route.done;
  console.log(`${outcome}: ${accounting.delivered} delivered, ${accounting.filtered} filtered`);
}

/** Reads the topic without a route. */
async function readTopic(): Promise<void> {
  await using receiver = await openReceiver(bridge, { memory: { topic: "gross", enable_nack: true } });
  for await (const message of receiver.messages({ idleMs: 50 })) console.log(message.text());
}

/** A route that answers, and a request to it. */
async function ask(): Promise<void> {
  const route = bridge.route(
    "answers",
    { input: { memory: { topic: "questions" } }, output: { response: {} } },
    { handler },
  );
  await route.start();
  await using sender = await openSender(bridge, { memory: { topic: "questions", request_reply: true } });
  const answer = await sender.request(jsonMessage({ id: "o9", amount: 10 }, { kind: "order" }));
  console.log(`answer: ${answer.text()}`);
  await sender.send(jsonMessage("are you there?", { kind: "ping" }));
  await route.stop();
}

await runRoute();
await readTopic();
await ask();
