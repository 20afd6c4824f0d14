import { isUtf8 } from "node:buffer";
import type { Metadata } from "@mqb/core/plugin";

export const MESSAGE_TYPE = "ws_message_type";

/** How the driver is asked for a frame. */
interface FrameOptions {
  readonly binary: boolean;
  readonly compress: false;
}

const TEXT: FrameOptions = { binary: false, compress: false };
const BINARY: FrameOptions = { binary: true, compress: false };

/**
 * The frame that a payload goes out as: as its metadata says, else what is UTF-8 is text. A text that is no UTF-8
 * goes as binary whatever is asked for: a peer would have to end the connection.
 */
export function frameOf(payload: Uint8Array, metadata: Metadata): FrameOptions {
  return (metadata.size > 0 && metadata.get(MESSAGE_TYPE) === "binary") || !isUtf8(payload) ? BINARY : TEXT;
}
