import { Message } from "@mqb/core/plugin";
import { describe, it } from "vitest";
import { testMiddleware } from "../src/index.ts";
import {
  filterConsumer,
  filterPublisher,
  middlewarePlugin,
  passConsumer,
  passPublisher,
} from "./support/middlewares.ts";

const removed = (n: number): Message => new Message(`unwanted ${n}`);

testMiddleware(
  { describe, it },
  { plugin: middlewarePlugin({ input: passConsumer, output: passPublisher }), middleware: "mw" },
);

testMiddleware(
  { describe, it },
  {
    plugin: middlewarePlugin({ input: filterConsumer, output: filterPublisher }),
    middleware: "mw",
    removed,
    looksInside: true,
  },
);

testMiddleware({ describe, it }, { plugin: middlewarePlugin({ output: passPublisher }), middleware: "mw" });
