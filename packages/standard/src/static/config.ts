import * as z from "zod";
import { field } from "../fields.ts";
import { withShorthand } from "../shorthand.ts";

const staticObject = z.strictObject({
  body: z.string().meta({
    description:
      "The payload: a template with tokens such as `${message:id}`, `${payload:a.b}`, `${metadata:k}`, `${gen:counter}`, `${env:VAR}`.",
    examples: ["OK", '{"id":"${message:id}"}'],
    "x-mqb-template": true,
  }),
  raw: field(z.boolean(), false, {
    description: "Output: send the body as it is. Without it the body is encoded as a JSON string.",
  }),
  metadata: field(
    z.record(z.string(), z.string()),
    {},
    {
      description:
        "Metadata of each message; a `content-type` with `json` in it makes tokens of a raw body JSON-escaped.",
      examples: [{ "content-type": "application/json" }],
    },
  ),
});

export const staticSchema = withShorthand(staticObject, "body", "the body alone");

/** A static endpoint as written: the body alone, or with options. */
export type StaticConfig = string | z.input<typeof staticObject>;
export type StaticSettings = z.output<typeof staticObject>;
