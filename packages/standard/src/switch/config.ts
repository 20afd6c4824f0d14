import type { EndpointConfig } from "@mqb/core/plugin";
import * as z from "zod";
import { outputField } from "../structural/field.ts";

export const switchSchema = z
  .strictObject({
    metadata_key: z
      .string()
      .min(1, { error: "expected the name of a metadata key" })
      .nullish()
      .meta({ description: "The metadata key whose value picks the case.", examples: ["kind", "http_status_code"] }),
    cases: z
      .record(z.string(), outputField({ description: "Where messages with this value go." }))
      .nullish()
      .meta({ description: "Where messages go, by the exact value of `metadata_key`." }),
    when: z
      .array(
        z.strictObject({
          if: z
            .string({ error: "expected an expression" })
            .min(1, { error: "expected an expression" })
            .meta({
              description: "True for the messages that go here; the first entry that is true counts.",
              examples: ["amount > 100"],
            }),
          to: outputField({ description: "Where the messages go for which `if` is true." }),
        }),
      )
      .min(1, { error: "expected at least one entry" })
      .nullish()
      .meta({ description: "Expressions in the order in which they are tried, each with where its messages go." }),
    default: z.unknown().optional().meta({
      description: "Where messages go that match nothing. Without it they are dropped, with a warning.",
      "x-mqb-endpoint": "output",
    }),
  })
  .superRefine(({ metadata_key: key, cases, when }, context) => {
    const refuse = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
    const byValue = key != null || cases != null;
    if (byValue && when != null)
      return refuse([], "a switch works by value (`metadata_key` and `cases`) or by expressions (`when`), not by both");
    if (!byValue && when == null)
      return refuse([], "a switch needs `metadata_key` with `cases`, or `when`, to know where messages go");
    if (!byValue) return;
    if (key == null) refuse(["metadata_key"], "`cases` needs `metadata_key` beside it");
    if (Object.keys(cases ?? {}).length === 0) refuse(["cases"], "`metadata_key` needs at least one case");
  });

/** A switch as written: `metadata_key` with `cases`, or `when`. */
export interface SwitchConfig {
  readonly metadata_key?: string | null;
  readonly cases?: Readonly<Record<string, EndpointConfig | null>> | null;
  readonly when?: readonly { readonly if: string; readonly to: EndpointConfig | null }[] | null;
  readonly default?: EndpointConfig | null;
}

export type SwitchSettings = z.output<typeof switchSchema>;
