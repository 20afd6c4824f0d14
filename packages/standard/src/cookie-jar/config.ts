import * as z from "zod";
import { field, integer } from "../fields.ts";

const key = z.string().min(1, { error: "expected a metadata key" });

export const cookieJarSchema = z.strictObject({
  shared_scope: z
    .string()
    .nullish()
    .meta({
      description: "Jars with the same scope are one, wherever they stand. Without it each place has a jar of its own.",
      examples: ["login-session"],
    }),
  cookie_metadata_key: field(key, "cookie", { description: "Metadata key that cookies are sent under." }),
  set_cookie_metadata_key: field(key, "set-cookie", {
    description: "Metadata key that new cookies come under, one in each line.",
  }),
  capture_metadata_keys: field(z.array(key), [], {
    description: "Further metadata whose values are kept.",
    examples: [["x-csrf-token"]],
  }),
  export_metadata_prefix: z
    .string()
    .nullish()
    .meta({
      description:
        "Copies everything in the jar into the metadata: `<prefix>cookie.<name>` and `<prefix>value.<key>`. It travels on, also to a dlq.",
      examples: ["session."],
    }),
  inject_metadata: field(
    z.record(key, z.string()),
    {},
    {
      description:
        "Metadata to set, and what to: `cookie.<name>` or `value.<key>` of the jar; a name alone is looked for as a value, then as a cookie. What a message has already stays.",
      examples: [{ "x-csrf-token": "value.x-csrf-token" }],
    },
  ),
  max_cookies: field(integer(0), 256, {
    description: "Most entries of a jar, kept values included; those that were set longest ago are dropped.",
  }),
});

export type CookieJarConfig = z.input<typeof cookieJarSchema>;
export type CookieJarSettings = z.output<typeof cookieJarSchema>;
