import * as z from "zod";
import { field, integer } from "../fields.ts";
import { FRAME_FORMATS } from "../pack/config.ts";

export const unpackSchema = z.strictObject({
  format: field(z.enum(FRAME_FORMATS), "mqb", { description: "Layout of the packed messages; that of the sender." }),
  max_messages: integer(0)
    .nullish()
    .meta({
      description: "Refuse a packed message that holds more than this many. Default: as many as fit into its bytes.",
      examples: [100_000],
    }),
  on_error: field(z.enum(["fail", "drop"]), "fail", {
    description:
      "A message that is not a packed one, or over `max_messages`: `fail` stops the route, `drop` drops it, with everything inside, with a warning.",
  }),
});

export type UnpackConfig = z.input<typeof unpackSchema>;
export type UnpackSettings = z.output<typeof unpackSchema>;
