import { Message } from "@mqb/core/plugin";
import { testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";

testMiddleware(
  { describe, it },
  {
    plugin,
    middleware: "postmark",
    config: { mark: "berlin", once: true },
    changes: true,
    removed: (n) => new Message(`marked ${n}`, new Map([["postmark", "berlin"]])),
  },
);
