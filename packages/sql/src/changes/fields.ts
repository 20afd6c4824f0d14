import type { MessageId, Metadata, SlabFields } from "@mqb/core/plugin";
import { idFromBytes } from "@mqb/core/plugin";
import type { ChangeIds } from "./change-id.ts";
import { type ChangeChunk, OPERATIONS } from "./chunk.ts";

/** How messages of a database name what they say of a change. */
export interface ChangeNames {
  readonly operation: string;
  readonly schema: string;
  readonly table: string;
  readonly key: string;
  readonly position: string;
  /** What the log calls a transaction beside its place. */
  readonly transaction: string;
  readonly snapshot: string;
  readonly oldKey: string;
  readonly unchanged: string;
  readonly sourceStamp: string;
  readonly positionStamp: string;
  readonly ordinalStamp: string;
  formatPosition(position: bigint): string;
}

/** `prefix` stands before all of them: `postgres`; the place is called `position` there, and whose it is `source`. */
export function changeNames(
  prefix: string,
  position: string,
  source: string,
  formatPosition: (position: bigint) => string,
): ChangeNames {
  return {
    operation: `${prefix}.operation`,
    schema: `${prefix}.schema`,
    table: `${prefix}.table`,
    key: `${prefix}.key`,
    position: `${prefix}.${position}`,
    transaction: `${prefix}.gtid`,
    snapshot: `${prefix}.snapshot`,
    oldKey: `${prefix}.old_key`,
    unchanged: `${prefix}.unchanged`,
    sourceStamp: `mqb.src.${prefix}_${source}`,
    positionStamp: `mqb.src.${prefix}_${position}`,
    ordinalStamp: `mqb.src.${prefix}_ordinal`,
    formatPosition,
  };
}

export interface FieldOptions {
  readonly ids: ChangeIds;
  readonly names: ChangeNames;
  /** Whose place it is. */
  readonly source: string;
  /** Whether messages carry their positions. */
  readonly stamps: boolean;
  /** They are rows of the tables as they were, and not changes. */
  readonly isSnapshot: boolean;
}

const DIGITS = Buffer.from("0123456789abcdef");
const HYPHEN = 45;

/** Ids and metadata of changes, made when somebody asks. `base` is the row at position 0. */
export class ChangeFields implements SlabFields {
  private readonly chunk: ChangeChunk;
  private readonly base: number;
  private readonly options: FieldOptions;

  constructor(chunk: ChangeChunk, base: number, options: FieldOptions) {
    this.chunk = chunk;
    this.base = base;
    this.options = options;
  }

  /** A hash of what the change is; none for rows that nothing tells apart. */
  id(index: number): MessageId | undefined {
    return this.hash(this.base + index) ? idFromBytes(this.options.ids.bytes) : undefined;
  }

  writeId(index: number, into: Uint8Array, at: number): boolean {
    if (!this.hash(this.base + index)) return false;
    const { bytes } = this.options.ids;
    for (let i = 0; i < 16; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) into[at++] = HYPHEN;
      into[at++] = DIGITS[bytes[i]! >> 4]!;
      into[at++] = DIGITS[bytes[i]! & 15]!;
    }
    return true;
  }

  metadata(index: number): Metadata {
    const { chunk, options } = this;
    const row = this.base + index;
    const relation = chunk.relations[chunk.relationOf[row]!]!;
    const lsn = chunk.lsns[row]!;
    const metadata = new Map<string, string>();
    const { names } = options;
    metadata.set(names.operation, OPERATIONS[chunk.operations[row]!]!);
    metadata.set(names.schema, relation.schema);
    metadata.set(names.table, relation.table);
    const [from, to] = [chunk.keyStarts[row]!, chunk.keyEnds[row]!];
    if (to > from) metadata.set(names.key, chunk.bytes.toString("utf8", from, to));
    metadata.set(names.position, names.formatPosition(lsn));
    const transaction = chunk.names?.get(lsn);
    if (transaction !== undefined) metadata.set(names.transaction, transaction);
    if (options.isSnapshot) metadata.set(names.snapshot, "true");
    const rare = chunk.rare?.get(row);
    if (rare?.oldKey !== undefined) metadata.set(names.oldKey, rare.oldKey);
    if (rare?.unchanged !== undefined) metadata.set(names.unchanged, rare.unchanged);
    if (options.stamps) {
      metadata.set(names.sourceStamp, options.source);
      metadata.set(names.positionStamp, `${lsn}`);
      metadata.set(names.ordinalStamp, `${chunk.ordinals[row]}`);
    }
    return metadata;
  }

  private hash(row: number): boolean {
    const { chunk, options } = this;
    const [from, to] = [chunk.keyStarts[row]!, chunk.keyEnds[row]!];
    const operation = OPERATIONS[chunk.operations[row]!]!;
    if (to === from && operation !== "truncate") return false;
    const { schema, table, idPrefix: prefix } = chunk.relations[chunk.relationOf[row]!]!;
    // The same row read again from its table is the same message, whatever its number then.
    const change = {
      schema,
      table,
      prefix,
      operation: options.isSnapshot ? "snapshot" : operation,
      lsn: chunk.lsns[row]!,
      ordinal: options.isSnapshot ? 0 : chunk.ordinals[row]!,
    };
    options.ids.hash(change, chunk.bytes, from, to);
    return true;
  }
}
