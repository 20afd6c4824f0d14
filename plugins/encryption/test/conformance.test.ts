import { Message } from "@mqb/core/plugin";
import { testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";
import { CIPHERS, KEY, sealOne } from "./sealing.ts";

const METADATA = new Map([["kept", "ä b"]]);

for (const cipher of CIPHERS) {
  for (const authenticate_metadata of [[], ["kept"]]) {
    const config = { cipher, key: KEY, authenticate_metadata };
    const message = (n: number, side: "input" | "output"): Message => {
      const text = `message ${n}`;
      return new Message(side === "input" ? sealOne(text, config, METADATA) : text, METADATA);
    };
    const common = { plugin, middleware: "encryption", config, message, changes: true };
    testMiddleware({ describe, it }, { ...common, looksInside: authenticate_metadata.length > 0 });

    // On an input what is not authentic is taken out.
    const { output: _, ...input } = plugin.middlewares!["encryption"]!;
    const removed = (n: number) => new Message(`no envelope ${n}`, METADATA);
    testMiddleware(
      { describe, it },
      {
        ...common,
        plugin: { ...plugin, middlewares: { encryption: input } },
        removed,
        looksInside: authenticate_metadata.length > 0,
      },
    );
  }
}
