import type { EndpointConfig } from "@mqb/core/plugin";
import * as z from "zod";

export const sequenceSchema = z
  .strictObject({
    endpoints: z
      .array(
        z
          .unknown()
          .refine((value) => value !== undefined && value !== null, { error: "expected an endpoint" })
          .meta({
            description: "A phase: an input with middlewares of its own.",
            examples: [{ file: { path: "history.jsonl" } }],
            "x-mqb-endpoint": "input",
          }),
        { error: "expected a list of endpoints" },
      )
      .min(1, { error: "expected at least one endpoint" })
      .meta({ description: "The inputs, in the order in which they are read." }),
    cursor_id: z
      .string()
      .min(1)
      .nullish()
      .meta({ description: "Name under which the phase that was reached is kept.", examples: ["orders_backfill"] }),
    checkpoint_store: z
      .string()
      .min(1)
      .nullish()
      .meta({
        description: "State store that keeps it, by URL or path.",
        examples: ["file:///var/lib/mqb/orders-phase.json"],
        "x-mqb-store": true,
      }),
  })
  .meta({ description: "several inputs, one after another" });

export type SequenceSettings = z.output<typeof sequenceSchema>;

export interface SequenceConfig {
  /** The inputs, in the order in which they are read. */
  readonly endpoints: readonly EndpointConfig[];
  /** Name under which the phase that was reached is kept. */
  readonly cursor_id?: string | null;
  /** State store that keeps it, by URL or path. */
  readonly checkpoint_store?: string | null;
}

/** The kinds of the phases, as the marker names them. */
export function kindsOf({ endpoints }: SequenceSettings): readonly string[] {
  return endpoints.map((endpoint) => {
    const [key = "", config] = Object.entries(endpoint as object).find(([name]) => name !== "middlewares") ?? [];
    return key === "custom" ? String((config as { readonly name?: unknown } | null)?.name) : key;
  });
}
