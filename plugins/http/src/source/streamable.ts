import { errors } from "../errors.ts";
import type { HttpConfig } from "../schema.ts";

/** Refuses what cannot hold for a body that is read while it comes. Throws a `config` error. */
export function checkStreamable(config: HttpConfig): void {
  if (!config.receive_streamable) return;
  if (config.webhook_signature) {
    const reason = "a signature is over the whole body, which the route would have seen before it could be checked";
    throw errors.STREAMED({ field: "webhook_signature", reason });
  }
  if (config.fire_and_forget) {
    const reason = "the answer is made of the replies to the items, and ends with the last one";
    throw errors.STREAMED({ field: "fire_and_forget", reason });
  }
  if (config.compression_enabled) {
    const reason = "an answer that is written item by item is not compressed";
    throw errors.STREAMED({ field: "compression_enabled", reason });
  }
}
