import type { NatsConnection } from "nats";

/** Reads what the server sends. */
export interface DriverParser {
  parse(chunk: Uint8Array): void;
  /** 0 = at the beginning of a message or line. */
  readonly state?: number;
}

/** The head of a message, as the driver has it; `hdr` is -1 without headers. */
export interface DriverMessage {
  readonly subject: Uint8Array;
  readonly sid: number;
  readonly reply: Uint8Array | undefined;
  readonly hdr: number;
  readonly size: number;
}

/**
 * What is used of the driver beyond its public API: its parser, which another one stands in for, and a write of many commands
 * at once. The driver is pinned to one version for it.
 */
export interface DriverProtocol {
  parser: DriverParser;
  sendCommand(bytes: Uint8Array): void;
  processMsg(message: DriverMessage, data: Uint8Array): void;
  readonly transport?: {
    readonly socket?: {
      destroy(): void;
      once(event: "drain", callback: () => void): unknown;
      readonly writableLength: number;
    };
  };
}

/** Undefined when it is another version, which has not got it. */
export function protocolOf(connection: NatsConnection): DriverProtocol | undefined {
  const { protocol } = connection as unknown as { protocol?: Partial<DriverProtocol> };
  const isKnown =
    typeof protocol?.sendCommand === "function" &&
    typeof protocol.processMsg === "function" &&
    typeof protocol.parser?.parse === "function" &&
    typeof protocol.parser.state === "number";
  return isKnown ? (protocol as DriverProtocol) : undefined;
}
