import { definePlugin, Message } from "@mqb/core/plugin";
import { testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import { middlewareOf } from "../src/registry/middleware.ts";

const wanted = (messages: readonly Message[]) =>
  messages.map((message) => (message.text().startsWith("unwanted") ? null : message));

testMiddleware(
  { describe, it },
  {
    plugin: definePlugin({
      name: "code",
      apiVersion: 1,
      middlewares: { mine: middlewareOf("mine", () => ({ onReceive: wanted, onSend: wanted })) },
    }),
    middleware: "mine",
    config: "anything",
    removed: (n) => new Message(`unwanted ${n}`),
    looksInside: true,
  },
);
