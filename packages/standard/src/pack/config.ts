import * as z from "zod";
import { field, integer } from "../fields.ts";

export const FRAME_FORMATS = ["mqb", "benthos_binary"] as const;
export type FrameFormat = (typeof FRAME_FORMATS)[number];

export const packSchema = z
  .strictObject({
    format: field(z.enum(FRAME_FORMATS), "mqb", {
      description:
        "Layout of a packed message: `mqb` keeps payload, id and metadata; `benthos_binary` the payloads alone, as `archive: binary` of Redpanda Connect.",
    }),
    max_messages: field(integer(1), 1000, { description: "Most messages in one packed message." }),
    max_bytes: field(integer(1), 4 * 1024 * 1024, {
      description:
        "A packed message is closed before it grows beyond this; a single message that is larger goes alone.",
    }),
    drop_message_id: field(z.boolean(), false, {
      description: "Leave the ids out, 16 bytes less for each message; the reader gives fresh ones.",
    }),
  })
  .meta({ "x-mqb-sets": ["mqb.pack.count"] });

export type PackConfig = z.input<typeof packSchema>;
export type PackSettings = z.output<typeof packSchema>;
