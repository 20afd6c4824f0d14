import { idFromBigInt, idFromBytes, Message, type MessageId } from "@mqb/core/plugin";
import { keptHeaders, shownText } from "../wire/exact-headers.ts";
import { parseId } from "../wire/fields.ts";
import { EXACT_HEADERS, FOREIGN_ID_HEADER, ID_HEADER, isReserved, SOURCE, TOMBSTONE } from "../wire/names.ts";
import type { RdkafkaMessage } from "./driver.ts";

const EMPTY = Buffer.alloc(0);
const ID_BYTES = 16;

/** A record as a message, by the same rules as with the other engine. `stamps` = with its position. */
export function messageOf(record: RdkafkaMessage, stamps: boolean): Message {
  const { value, headers = [], topic, partition, offset } = record;
  const metadata = new Map<string, string>();
  const entries = headers.map(entryOf).filter(([name]) => !isReserved(name) && name !== EXACT_HEADERS);
  for (const [name, bytes] of entries) metadata.set(name, shownText(bytes));
  const kept = entries.length === 0 ? undefined : keptHeaders(entries);
  if (kept !== undefined) metadata.set(EXACT_HEADERS, kept);
  if (value === null) metadata.set(TOMBSTONE, "true");
  if (stamps) {
    metadata.set(SOURCE.topic, topic);
    metadata.set(SOURCE.partition, `${partition}`);
    metadata.set(SOURCE.offset, `${offset}`);
  }
  return new Message(value ?? EMPTY, metadata, idOf(record));
}

/** The first header that holds an id, else a key of 16 bytes, else the place in the log. */
function idOf({ headers = [], key, partition, offset }: RdkafkaMessage): MessageId {
  for (const header of headers) {
    const [name, bytes] = entryOf(header);
    const id = name === ID_HEADER || name === FOREIGN_ID_HEADER ? parseId(bytes.toString("latin1")) : undefined;
    if (id !== undefined) return id;
  }
  if (key?.length === ID_BYTES) return idFromBytes(key);
  return idFromBigInt((BigInt(partition) << 64n) | BigInt(offset));
}

/** A header comes as an object with one property. With one name it has none: the value is its prototype then. */
function entryOf(header: Readonly<Record<string, Buffer>>): readonly [name: string, value: Buffer] {
  return Object.entries(header)[0] ?? ["__proto__", Object.getPrototypeOf(header) as Buffer];
}
