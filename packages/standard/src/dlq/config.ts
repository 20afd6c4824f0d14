import type { EndpointConfig } from "@mqb/core/plugin";
import * as z from "zod";
import { integer } from "../fields.ts";

const PERCENT = /^(100|[0-9]{1,2})(\.[0-9]+)?%$/;

const fields = z.strictObject({
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
  stop_threshold: z
    .union([integer(0), z.string().regex(PERCENT, { error: "expected a number of messages, or a share such as 20%" })])
    .nullish()
    .meta({
      description:
        "The route stops as failed when more than this many, or this share, of the last `stop_window` messages were dead-lettered.",
      examples: [20, "20%"],
    }),
  stop_after: integer(0)
    .nullish()
    .meta({
      description: "The route stops as failed when more than this many messages were dead-lettered since its start.",
      examples: [1000],
    }),
});

export const dlqSchema = fields
  .superRefine((config, context) => {
    const { stop_window: window } = config;
    const threshold = thresholdOf(config);
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
  readonly stop_threshold?: number | string | null;
  readonly stop_after?: number | null;
}

export type DlqSettings = z.output<typeof dlqSchema>;

/** `stop_threshold` as a number of messages; undefined when none is set. */
export function thresholdOf({
  stop_window: window,
  stop_threshold: threshold,
}: Pick<z.output<typeof fields>, "stop_window" | "stop_threshold">): number | undefined {
  if (typeof threshold !== "string") return threshold ?? undefined;
  return Math.floor(((window ?? 0) * Number.parseFloat(threshold)) / 100);
}
