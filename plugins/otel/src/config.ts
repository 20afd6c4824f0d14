import * as z from "zod";

/** What a user writes under `otel:`. Types, checks, defaults, the JSON Schema and the reference come from it. */
export const otelSchema = z.strictObject({
  spans: z
    .enum(["message", "batch"])
    .nullish()
    .meta({
      default: "message",
      description:
        "A span for each message, or one for each batch, which is linked to the traces that its messages come from: much cheaper where batches are large",
    })
    .transform((value) => value ?? "message"),
});

/** An otel middleware as written. */
export type OtelConfig = z.input<typeof otelSchema>;

declare module "@mqb/core/plugin" {
  interface MiddlewareConfigs {
    readonly otel: OtelConfig;
  }
}
