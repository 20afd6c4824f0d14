import type { MsgHdrs, NatsConnection } from "nats";

/**
 * What is used of the driver beyond its public API: the bytes of subjects and headers, where the API makes texts and
 * objects of every one of them, and a write of many commands at once. The driver is pinned to one version for it.
 */
export interface RawMsg {
  readonly subject: string;
  readonly reply?: string;
  readonly data: Uint8Array;
  readonly headers?: MsgHdrs;
  readonly _msg: { readonly subject: Uint8Array; readonly reply?: Uint8Array; readonly hdr: number };
  /** Headers, then payload. */
  readonly _rdata: Uint8Array;
}

interface Protocol {
  sendCommand(bytes: Uint8Array): void;
  readonly transport?: {
    readonly socket?: {
      destroy(): void;
      once(event: "drain", callback: () => void): unknown;
      readonly writableLength: number;
    };
  };
}

export function protocolOf(connection: NatsConnection): Protocol | undefined {
  const { protocol } = connection as unknown as { protocol?: Protocol };
  return typeof protocol?.sendCommand === "function" ? protocol : undefined;
}

/** The status of a message without payload that the server itself sends: 100, 404, 408, 409, 503; 0 = a real message. */
export function statusOf({ _msg: { hdr }, _rdata: bytes }: RawMsg): number {
  // `NATS/1.0 ` and three digits; a message of somebody has `NATS/1.0\r\n`.
  if (hdr < 12 || bytes.length !== hdr || bytes[8] !== 32) return 0;
  return (bytes[9]! - 48) * 100 + (bytes[10]! - 48) * 10 + (bytes[11]! - 48);
}

/** What stands behind the code. */
export function statusText({ _msg: { hdr }, _rdata: bytes }: RawMsg): string {
  const line = Buffer.from(bytes.buffer, bytes.byteOffset, hdr).toString("latin1", 12, Math.min(hdr, 512));
  return line.slice(0, line.indexOf("\r\n")).trim();
}
