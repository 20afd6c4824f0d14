import { isUtf8 } from "node:buffer";
import type { Metadata } from "@mqb/core/plugin";

export const MESSAGE_TYPE = "ws_message_type";

/**
 * Whether a payload goes out as a binary frame: as its metadata says, else what is UTF-8 is text. A text that is no UTF-8
 * goes as binary whatever is asked for: a peer would have to end the connection.
 */
export function isBinary(payload: Uint8Array, metadata: Metadata): boolean {
  return (metadata.size > 0 && metadata.get(MESSAGE_TYPE) === "binary") || !isUtf8(payload);
}
