import { encryptionConfig } from "@mqb/formats";
import * as z from "zod";

const { cipher, key_id, key, decrypt_keys } = encryptionConfig.shape;

/** What a user writes under `encryption:` in a list of middlewares. */
export const encryptionSchema = z
  .strictObject({
    cipher,
    key_id,
    key,
    decrypt_keys,
    authenticate_metadata: z
      .array(z.string().min(1))
      .nullish()
      .meta({
        default: [],
        description:
          "Metadata keys that are bound to the payload, in this order; they stay readable. A payload whose metadata was changed is not decrypted. Both sides need the same list.",
        examples: [["tenant", "mqb.id"]],
      }),
    on_error: z.enum(["drop", "fail"]).nullish().meta({
      default: "drop",
      "x-mqb-side": "input",
      description:
        "Input: a payload that cannot be decrypted is logged, acknowledged and dropped, and the route ends as failed for it when it ends; or it ends the route at once, with the message unacknowledged.",
    }),
  })
  .meta({
    "x-mqb-defeats": { compression: "ciphertext does not compress" },
    "x-mqb-order": [
      {
        side: "output",
        others: ["compression"],
        handles: "after",
        otherwise: "ciphertext does not compress",
        level: "note",
      },
    ],
  });

/** The middleware as written. */
export type EncryptionConfig = z.input<typeof encryptionSchema>;

declare module "@mqb/core/plugin" {
  interface MiddlewareConfigs {
    readonly encryption: EncryptionConfig;
  }
}
