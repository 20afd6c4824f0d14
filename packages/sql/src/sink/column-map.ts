import type { ColumnInfo } from "../contract.ts";
import type { Shape } from "./members.ts";

/** Which member of a shape goes into which column. */
export interface Mapping {
  readonly columns: readonly ColumnInfo[];
  /** For each column the position of its member; -1 where the members without a column are collected. */
  readonly members: readonly number[];
  /** Positions of the members without a column. */
  readonly unmapped: readonly number[];
  /** Every column has a member of exactly its name. */
  readonly isExact: boolean;
}

/** Finds columns for fields: exactly, else without regard to case where only one column is meant. */
export class ColumnMap {
  private readonly exact = new Map<string, ColumnInfo>();
  /** Undefined: several columns differ only by case. */
  private readonly loose = new Map<string, ColumnInfo | undefined>();
  private readonly extra: string | undefined;
  private readonly mappings = new WeakMap<Shape, Mapping>();

  constructor(columns: readonly ColumnInfo[], extra: string | undefined) {
    this.extra = extra;
    for (const column of columns) {
      if (column.generated) continue;
      this.exact.set(column.name, column);
      const lower = column.name.toLowerCase();
      this.loose.set(lower, this.loose.has(lower) ? undefined : column);
    }
  }

  of(shape: Shape): Mapping {
    let mapping = this.mappings.get(shape);
    if (!mapping) this.mappings.set(shape, (mapping = this.map(shape)));
    return mapping;
  }

  /** The column that a name means. */
  find(name: string): ColumnInfo | undefined {
    return this.exact.get(name) ?? this.loose.get(name.toLowerCase());
  }

  private map({ names }: Shape): Mapping {
    const found = new Map<ColumnInfo, number>();
    const unmapped: number[] = [];
    // Of a name that is there twice the last one counts.
    const last = new Map(names.map((name, position) => [name, position]));
    for (const [name, position] of last) {
      const column = this.exact.get(name);
      if (column) found.set(column, position);
    }
    for (const [name, position] of last) {
      if (this.exact.has(name)) continue;
      const column = this.loose.get(name.toLowerCase());
      if (column && !found.has(column)) found.set(column, position);
      else unmapped.push(position);
    }
    const extra = this.extra === undefined ? undefined : this.exact.get(this.extra);
    if (extra && unmapped.length > 0 && !found.has(extra)) found.set(extra, -1);
    const isExact = [...found].every(([column, member]) => names[member] === column.name);
    return { columns: [...found.keys()], members: [...found.values()], unmapped, isExact };
  }
}
