import { definePlugin } from "@mqb/core/plugin";
import { testMiddleware } from "@mqb/testkit";
import { describe, it } from "vitest";
import { tracedConsumer } from "../src/consumer.ts";
import plugin from "../src/index.ts";
import { tracedPublisher } from "../src/publisher.ts";
import { Recorded } from "./traced.ts";

const { otel } = plugin.middlewares!;
const recorded = new Recorded();

// As it is: no provider is set, so that it is not in the way.
testMiddleware({ describe, it }, { plugin, middleware: "otel", config: {} });

for (const spans of ["message", "batch"] as const) {
  const traced = definePlugin({
    ...plugin,
    middlewares: {
      otel: {
        ...otel!,
        input: (inner) => tracedConsumer(inner, recorded.tracing, spans),
        output: (inner) => tracedPublisher(inner, recorded.tracing, spans),
      },
    },
  });
  testMiddleware({ describe, it }, { plugin: traced, middleware: "otel", config: { spans }, changes: true });
}
