import * as z from "zod";

/** What a user writes under `pigeonhole:`. Types, checks, defaults, the JSON Schema and the reference come from it. */
export const pigeonholeSchema = z.strictObject({
  path: z
    .string()
    .min(1)
    .meta({
      description: "The folder, made when it is absent; relative to the working directory",
      examples: ["inbox"],
    }),
  poll_ms: z
    .int()
    .min(1)
    .max(60_000)
    .default(50)
    .meta({ description: "How long the input waits before it looks into an empty folder again", advanced: true }),
});

export type PigeonholeConfig = z.output<typeof pigeonholeSchema>;

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    readonly pigeonhole: z.input<typeof pigeonholeSchema>;
  }
}
