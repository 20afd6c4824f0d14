import type { Metadata } from "@mqb/core/plugin";

/** Where a message stood in its source, in the words of part names. */
export interface SourcePosition {
  /** Names the sequence that `value` counts in; stands in part names. */
  readonly topic: string;
  readonly partition: number;
  /** Consecutive messages have consecutive values. */
  readonly value: bigint;
}

const NAME_MAX = 120;
const FILE_PATH = "mqb.src.file_path";

/** The position that a source stamped on a message; undefined when there is none that could name a part. */
export function positionOf(metadata: Metadata): SourcePosition | undefined {
  const get = (key: string): string | undefined => metadata.get(`mqb.src.${key}`);
  const filePath = metadata.get(FILE_PATH);
  if (filePath !== undefined) return make(fileTopic(filePath, get("file_epoch")), "0", get("file_record"));

  const topic = get("kafka_topic");
  if (topic !== undefined) return make(topic, get("kafka_partition"), get("kafka_offset"));

  const slot = get("postgres_slot");
  const lsn = wholeNumber(get("postgres_lsn"));
  if (slot !== undefined && lsn !== undefined)
    return make(`postgres_cdc-${slot}-${pad(lsn, 20)}`, "0", get("postgres_ordinal"));

  const log = get("mysql_source");
  const place = wholeNumber(get("mysql_position"));
  if (log !== undefined && place !== undefined)
    return make(`mysql_cdc-${log}-${pad(place, 20)}`, "0", get("mysql_ordinal"));

  const namespace = get("mongodb_namespace");
  if (namespace !== undefined) {
    const snapshot = get("mongodb_snapshot_index");
    if (snapshot !== undefined) return make(`mongodb-${namespace}-0snapshot`, "0", snapshot);
    const time = wholeNumber(get("mongodb_cluster_time"));
    if (time !== undefined) return make(`mongodb-${namespace}-1cdc-${pad(time, 20)}`, "0", get("mongodb_ordinal"));
  }

  const table = get("sqlx_table");
  if (table !== undefined) return make(`sqlx-${table}`, "0", get("sqlx_cursor"));
  return undefined;
}

/** The topic part of a file: its name, and the FNV-1a hash of 64 bits of its path as configured. */
export function fileTopic(path: string, epoch: string | undefined): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  const base = `file-${shortened(name)}-${hash(path)}`;
  const run = wholeNumber(epoch);
  return run === undefined ? base : `${base}-${pad(run, 20)}`;
}

/** At most what leaves room for the rest of a part's name in 255 bytes; the hash tells names apart. */
function shortened(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.length <= NAME_MAX) return name;
  let end = NAME_MAX;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

function make(topic: string, partition: string | undefined, value: string | undefined): SourcePosition | undefined {
  const number = wholeNumber(value);
  const part = wholeNumber(partition);
  if (number === undefined || part === undefined) return undefined;
  // A name must not leave the folder, whatever a foreign system calls its tables; and two topics must not share one.
  const safe = topic.replace(/[/\\\0]/g, "_");
  return { topic: safe === topic ? topic : `${safe}-${hash(topic)}`, partition: Number(part), value: number };
}

function wholeNumber(text: string | undefined): bigint | undefined {
  return text !== undefined && /^\d{1,20}$/.test(text) ? BigInt(text) : undefined;
}

export function pad(value: bigint | number, digits: number): string {
  return value.toString().padStart(digits, "0");
}

function hash(text: string): string {
  return fnv64(text).toString(16).padStart(16, "0");
}

const MASK = (1n << 64n) - 1n;

function fnv64(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  return hash;
}
