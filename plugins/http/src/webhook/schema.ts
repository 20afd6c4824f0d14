import * as z from "zod";
import { standardKey } from "./schemes.ts";

const secret = z.string().min(1, { error: "expected a secret" }).meta({ secret: true });

/** Anybody could sign with a key of no bytes. */
function hasKeys({ scheme, secret: given }: { readonly scheme: string; readonly secret: string | string[] }): boolean {
  return scheme !== "standard" || [given].flat().every((one) => standardKey(one).length > 0);
}

export const signatureSchema = z
  .strictObject({
    scheme: z.enum(["github", "stripe", "standard"]).meta({
      description:
        "What is signed, and how it is sent: `github` = X-Hub-Signature-256 over the body, `stripe` = Stripe-Signature over time and body, `standard` = webhook-signature over id, time and body (standardwebhooks.com).",
    }),
    secret: z.union([secret, z.array(secret).min(1)]).meta({
      description:
        "The shared secret. Of a list, a signature by any is taken and the first one signs: this is how secrets are changed.",
    }),
    header: z
      .string()
      .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, { error: "expected the name of a header" })
      .nullish()
      .meta({ description: "Another header than that of the scheme." }),
    tolerance_ms: z.int().min(1).nullish().meta({
      default: 300_000,
      description: "How old a signed time may be, or how far ahead. `github` signs none.",
    }),
  })
  .refine(hasKeys, { path: ["secret"], error: "expected base64 behind whsec_" });

export type SignatureConfig = z.output<typeof signatureSchema>;
