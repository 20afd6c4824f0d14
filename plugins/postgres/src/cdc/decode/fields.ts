import type { MessageId, Metadata, SlabFields } from "@mqb/core/plugin";
import { idFromBytes } from "@mqb/core/plugin";
import { formatLsn } from "../server/lsn.ts";
import type { ChangeIds } from "./change-id.ts";
import { type ChangeChunk, OPERATIONS } from "./chunk.ts";

export interface FieldOptions {
  readonly ids: ChangeIds;
  readonly slot: string;
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
    metadata.set("postgres.operation", OPERATIONS[chunk.operations[row]!]!);
    metadata.set("postgres.schema", relation.schema);
    metadata.set("postgres.table", relation.table);
    const [from, to] = [chunk.keyStarts[row]!, chunk.keyEnds[row]!];
    if (to > from) metadata.set("postgres.key", chunk.bytes.toString("utf8", from, to));
    metadata.set("postgres.lsn", formatLsn(lsn));
    if (options.isSnapshot) metadata.set("postgres.snapshot", "true");
    const rare = chunk.rare?.get(row);
    if (rare?.oldKey !== undefined) metadata.set("postgres.old_key", rare.oldKey);
    if (rare?.unchanged !== undefined) metadata.set("postgres.unchanged", rare.unchanged);
    if (options.stamps) {
      metadata.set("mqb.src.postgres_slot", options.slot);
      metadata.set("mqb.src.postgres_lsn", `${lsn}`);
      metadata.set("mqb.src.postgres_ordinal", `${chunk.ordinals[row]}`);
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
