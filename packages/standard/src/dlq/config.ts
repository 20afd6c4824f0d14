import type { EndpointConfig } from "@mqb/core/plugin";
import * as z from "zod";
import { integer } from "../fields.ts";

export const dlqSchema = z
  .strictObject({
    endpoint: z
      .unknown()
      .refine((value) => value !== undefined, { error: "expected an endpoint" })
      .meta({
        description: "Where the messages go that failed for good: an endpoint with middlewares of its own.",
        examples: [{ file: { path: "dead-letters.jsonl" } }],
        "x-mqb-endpoint": "output",
      }),
    stop_window: integer(1)
      .nullish()
      .meta({ description: "How many of the last messages `stop_threshold` looks at.", examples: [100] }),
    stop_threshold: integer(0)
      .nullish()
      .meta({
        description:
          "The route stops as failed when more than this many of the last `stop_window` messages were dead-lettered.",
        examples: [20],
      }),
  })
  .superRefine(({ stop_window: window, stop_threshold: threshold }, context) => {
    const refuse = (at: string, message: string) => context.addIssue({ code: "custom", path: [at], message });
    if (window == null && threshold != null) refuse("stop_window", "`stop_threshold` needs `stop_window` beside it");
    if (window != null && threshold == null) refuse("stop_threshold", "`stop_window` needs `stop_threshold` beside it");
    if (window != null && threshold != null && threshold >= window) {
      refuse(
        "stop_threshold",
        `${threshold} of ${window} messages can never be exceeded; it must be below \`stop_window\``,
      );
    }
  })
  .meta({
    "x-mqb-order": [
      {
        side: "output",
        others: ["transform", "lookup", "aggregate", "timeout", "encryption", "compression", "pack"],
        handles: "before",
        otherwise: "what that refuses does not reach the dead letters",
      },
    ],
  });

export interface DlqConfig {
  readonly endpoint: EndpointConfig | null;
  readonly stop_window?: number | null;
  readonly stop_threshold?: number | null;
}

export type DlqSettings = z.output<typeof dlqSchema>;
