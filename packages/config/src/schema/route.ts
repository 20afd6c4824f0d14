import type { JsonSchema } from "@mqb/core/plugin";
import { objectSchema, orVariable, type Properties, ref } from "./node.ts";

const MAX_TIMER = 2 ** 31 - 1;

/** The fields of a route; each may be null, which is its default. */
export function routeProperties(): Properties {
  return {
    input: { description: "The endpoint that is read.", ...ref("inputEndpoint") },
    output: {
      description: "The endpoint that is written; left out, every message is discarded.",
      ...ref("outputEndpoint"),
    },
    enabled: flag("A route that is false is not started.", true),
    description: { description: "For people.", type: ["string", "null"] },
    concurrency: integer("Batches that are processed and published at the same time.", 1, 1, 1_000_000),
    batch_size: integer(
      "Most messages of a batch: a cap, not a target. Default: what the output asks for.",
      512,
      1,
      100_000_000,
    ),
    commit_concurrency_limit: integer("Batches that may wait for their commit.", 4096, 1, 1_000_000),
    startup_timeout_ms: integer(
      "How long a start waits for both endpoints; 0 = one try that must not wait.",
      5000,
      0,
      MAX_TIMER,
    ),
    reconnect_interval_ms: integer("First pause before a reconnect; the following ones grow.", 5000, 0, MAX_TIMER),
    empty_batch_delay_ms: integer("Pause after an empty batch.", 10, 0, MAX_TIMER),
    max_in_flight_bytes: integer(
      "Payload bytes that may be in flight before reading pauses.",
      67_108_864,
      1,
      Number.MAX_SAFE_INTEGER,
    ),
    exit_on_empty: flag("End at the first empty batch.", false),
    allow_fault_injection: flag("Lets `random_panic` work.", false),
    required_delivery: orVariable({
      description: "Refuse to start when the inferred guarantee is weaker.",
      enum: ["at_most_once", "at_least_once", "effectively_once", null],
    }),
  };
}

export function routeSchema(properties: Properties): JsonSchema {
  return objectSchema("A route from one input to one output.", properties, ["input"]);
}

function integer(description: string, fallback: number, minimum: number, maximum: number): JsonSchema {
  return orVariable({ description, default: fallback, type: ["integer", "null"], minimum, maximum });
}

export function flag(description: string, fallback: boolean): JsonSchema {
  return orVariable({ description, default: fallback, type: ["boolean", "null"] });
}
