import type { CheckContext, Finding, OpenContext } from "@mqb/core/plugin";
import type * as z from "zod";
import type { Decompressor } from "./codec/codec.ts";
import type { encryptionConfig } from "./config.ts";
import { formatErrors } from "./errors.ts";

/** A checked `encryption` block. */
export type EncryptionSettings = z.output<typeof encryptionConfig>;

/** Encryption of what endpoints keep in files and objects; a plugin brings it as the service `atRest`. */
export interface AtRestEncryption {
  /** What is wrong with a block; paths are relative to it. Reads the environment, and no file. */
  check(settings: EncryptionSettings): readonly Finding[];
  /** Reads the keys; a relative path begins at `baseDir`. Throws `config` errors. Once per opening. */
  open(settings: EncryptionSettings, baseDir: string): AtRestCipher;
}

/** The keys of one opened endpoint. */
export interface AtRestCipher {
  /** One sealed frame, to be appended as a whole. Once per write. */
  seal(bytes: Uint8Array): Buffer;
  /** What frames one after another hold, frame by frame. `source` names the data in errors, which are `permanent`. */
  unseal(source: string): Decompressor;
}

declare module "@mqb/core/plugin" {
  interface PluginServices {
    readonly atRest: AtRestEncryption;
  }
}

/** The faults of an `encryption` block, relative to the endpoint's configuration; that no plugin encrypts is one. */
export function checkEncryption(
  settings: EncryptionSettings,
  context: Pick<CheckContext, "service">,
): readonly Finding[] {
  const service = context.service("atRest");
  if (service) return service.check(settings).map((one) => ({ ...one, path: ["encryption", ...one.path] }));
  const { code, message, hint } = formatErrors.NO_ENCRYPTION({});
  return [{ level: "error", path: ["encryption"], code, message, ...(hint === undefined ? {} : { hint }) }];
}

/** Opens an `encryption` block; undefined without one. Throws `config` errors. */
export function openEncryption(
  settings: EncryptionSettings | null | undefined,
  { service, baseDir }: Pick<OpenContext, "service" | "baseDir">,
): AtRestCipher | undefined {
  if (settings == null) return undefined;
  const found = service("atRest");
  if (!found) throw formatErrors.NO_ENCRYPTION({});
  return found.open(settings, baseDir);
}
