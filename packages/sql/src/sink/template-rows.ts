import type { MessageBatch } from "@mqb/core/plugin";
import type { Bound, PreparedInsert } from "../contract.ts";
import type { ValueSource } from "../statement/parse.ts";
import { isTextThroughout, type RowMaker, type Rows } from "./rows.ts";
import { TokenValues } from "./token-values.ts";

/** The values of an `insert_query`. */
export class TemplateRows implements RowMaker {
  private readonly insert: PreparedInsert;
  private readonly values: TokenValues;

  constructor(insert: PreparedInsert, sources: readonly ValueSource[]) {
    this.insert = insert;
    this.values = new TokenValues(sources, insert);
  }

  make(batch: MessageBatch): Rows {
    const positions: number[] = [];
    const rows: Bound[][] = [];
    const failed = new Map<number, unknown>();
    const isText = isTextThroughout(batch);
    for (let i = 0; i < batch.length; i++) {
      try {
        rows.push(this.values.of(batch, i, isText));
        positions.push(i);
      } catch (error) {
        failed.set(i, error);
      }
    }
    return { groups: rows.length > 0 ? [{ insert: this.insert, positions, rows }] : [], failed };
  }
}
