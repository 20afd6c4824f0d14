import { defineMiddleware, type OpenContext } from "@mqb/core/plugin";
import { Bulk } from "./cipher/bulk.ts";
import { encryptionSchema } from "./config.ts";
import { decryptReceived } from "./consumer.ts";
import { checkKeys, openKeyring } from "./keys/keyring.ts";
import { Opener } from "./opener.ts";
import { encryptSent } from "./publisher.ts";
import { Sealer } from "./sealer.ts";

export const encryption = defineMiddleware({
  description: "Encrypts each payload on an output, and decrypts it on an input; metadata stays readable",
  schema: encryptionSchema,
  keepsNothing: true,
  input(inner, settings, context) {
    const keyring = openKeyring(settings, context.baseDir);
    const opener = new Opener(keyring, settings.authenticate_metadata ?? [], bulkOf(context));
    return decryptReceived(inner, opener, settings.on_error ?? "drop", context);
  },
  output(inner, settings, context) {
    const keyring = openKeyring(settings, context.baseDir);
    const sealer = new Sealer(keyring, settings.authenticate_metadata ?? [], bulkOf(context));
    return encryptSent(inner, sealer, context.below);
  },
  check: (settings) => checkKeys(settings),
});

/** One for all routes of a bridge: its memory reserves address space. */
function bulkOf(context: OpenContext): Bulk | undefined {
  return context.local("encryption:bulk", () => ({ bulk: Bulk.make() })).bulk;
}
