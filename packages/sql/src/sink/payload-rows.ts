import type { MessageBatch } from "@mqb/core/plugin";
import type { Bound, PreparedInsert } from "../contract.ts";
import type { RowMaker, Rows } from "./rows.ts";

/** The payload of each message, as it is, into one column. */
export class PayloadRows implements RowMaker {
  private readonly insert: PreparedInsert;

  constructor(insert: PreparedInsert) {
    this.insert = insert;
  }

  make(batch: MessageBatch): Rows {
    const positions: number[] = [];
    const rows: Bound[][] = [];
    for (let i = 0; i < batch.length; i++) {
      positions.push(i);
      rows.push([this.insert.bytes(0, batch.payload(i))]);
    }
    return { groups: [{ insert: this.insert, positions, rows }], failed: new Map() };
  }
}
