import { defineMiddleware } from "@mqb/core/plugin";
import { openPayloadCodec } from "@mqb/formats";
import { compressionSchema, MAX_DECOMPRESSED_BYTES, MAX_RATIO } from "./config.ts";
import { DecompressingConsumer } from "./consumer.ts";
import { compressSent } from "./publisher.ts";

export const compression = defineMiddleware({
  description: "Compresses each payload on an output and decompresses it on an input",
  schema: compressionSchema,
  keepsNothing: true,
  async input(inner, settings, context) {
    const algorithm = settings.algorithm ?? "zstd";
    if (algorithm === "none") return inner;
    const limits = {
      maxBytes: settings.max_decompressed_bytes ?? MAX_DECOMPRESSED_BYTES,
      maxRatio: settings.max_ratio ?? MAX_RATIO,
    };
    const codec = await openPayloadCodec(algorithm);
    return new DecompressingConsumer(inner, { algorithm, codec, limits, drops: settings.on_error === "drop" }, context);
  },
  async output(inner, settings) {
    const algorithm = settings.algorithm ?? "zstd";
    return algorithm === "none" ? inner : compressSent(inner, await openPayloadCodec(algorithm));
  },
});
