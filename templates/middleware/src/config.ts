import * as z from "zod";

/** What a user writes under `postmark:`. Types, checks, defaults, the JSON Schema and the reference come from it. */
export const postmarkSchema = z.strictObject({
  mark: z
    .string()
    .min(1)
    .meta({ description: "The mark that messages get", examples: ["berlin"] }),
  key: z.string().min(1).default("postmark").meta({ description: "The metadata key that holds the mark" }),
  once: z.boolean().default(false).meta({
    description: "Drop the messages that carry this mark already, which breaks loops between two systems",
  }),
});

export type PostmarkConfig = z.output<typeof postmarkSchema>;

declare module "@mqb/core/plugin" {
  interface MiddlewareConfigs {
    readonly postmark: z.input<typeof postmarkSchema>;
  }
}
