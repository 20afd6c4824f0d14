/** The header and metadata entry that carries a message's id, 32 hex digits. */
export const ID_HEADER = "mq_bridge.message_id";
/** What others call it. */
export const FOREIGN_ID_HEADER = "message_id";
/** Metadata of a message that stands for a null value. */
export const TOMBSTONE = "mqb.kafka.tombstone";
/** Metadata that keep headers which text and unique names cannot hold: see `keptHeaders`. */
export const EXACT_HEADERS = "mqb.kafka.headers";
export const REPLY_TO = "reply_to";
export const CORRELATION_ID = "correlation_id";

const RESERVED = "mqb.src.";

/** Positions of sources never leave the process, and none that comes from outside is believed. */
export function isReserved(name: string): boolean {
  return name.startsWith(RESERVED);
}

export const SOURCE = {
  topic: `${RESERVED}kafka_topic`,
  partition: `${RESERVED}kafka_partition`,
  offset: `${RESERVED}kafka_offset`,
} as const;

/** Headers that the list of `keptHeaders` never holds: they are written by rules of their own, or not at all. */
export function isUnlisted(name: string): boolean {
  return name === ID_HEADER || name === TOMBSTONE || name === EXACT_HEADERS || isReserved(name);
}

/** The two digits of a byte as ASCII, the first one in the high byte. */
export const HEX_OF_BYTE = Uint16Array.from({ length: 256 }, (_, byte) => {
  const text = byte.toString(16).padStart(2, "0");
  return (text.charCodeAt(0) << 8) | text.charCodeAt(1);
});
