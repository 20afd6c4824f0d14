import { createBridge, createRegistry } from "@mqb/core";
import type { Message } from "@mqb/core/plugin";
import http from "@mqb/http";
import standard from "@mqb/standard";
import plugin from "../src/index.ts";

// Answers over HTTP and WebSockets, slowly, until it is told to stop. Then it ends by itself, when nothing is open any more.
const bridge = createBridge({ registry: createRegistry([plugin, http, standard]) });
const output = { response: {}, middlewares: [{ delay: { delay_ms: 100 } }] };
const url = "127.0.0.1:0";
const handler = (message: Message): Message => {
  console.log(`received ${message.text()}`);
  return message;
};
const routes = [
  bridge.route("ws", { input: { websocket: { url } }, output }, { handler }),
  bridge.route("http", { input: { http: { url } }, output }, { handler }),
];
process.once("SIGTERM", () => {
  for (const route of routes) void route.stop();
});
await Promise.all(routes.map((route) => route.start()));
const [ws, web] = routes.map((route) => String(route.status().input?.details?.["bound_addr"]));
console.log(`serving ${ws} ${web}`);
