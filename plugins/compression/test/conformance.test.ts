import { Message } from "@mqb/core/plugin";
import { messages, testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";
import { CODECS, compressedMessages } from "./compressing.ts";

const runner = { describe, it };
const plain = messages(2100, { metadata: true });

for (const algorithm of CODECS) {
  const compressed = await compressedMessages(algorithm, plain);
  const common = {
    plugin,
    middleware: "compression",
    config: { algorithm },
    message: (n: number, side: string) => (side === "input" ? compressed[n]! : plain[n]!),
    changes: true,
  };
  testMiddleware(runner, common);

  // On an input what cannot be decompressed is taken out.
  const { output: _, ...input } = plugin.middlewares!["compression"]!;
  testMiddleware(runner, {
    ...common,
    plugin: { ...plugin, middlewares: { compression: input } },
    config: { algorithm, on_error: "drop" },
    removed: (n) => new Message(`no frame ${n}`),
  });
}

// Nothing to do: it must not be in the way.
testMiddleware(runner, { plugin, middleware: "compression", config: { algorithm: "none" } });
