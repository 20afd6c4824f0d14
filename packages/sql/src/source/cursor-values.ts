import type { Slab } from "@mqb/core/plugin";
import { compileFields, type FieldFinder, FieldKind, numberText, readString } from "@mqb/json";

/** Reads the value of the cursor column from rows. */
export class CursorValues {
  private readonly finder: FieldFinder;

  constructor(column: string) {
    this.finder = compileFields([[column]]);
  }

  /** Undefined when the row has none, or one that is no cursor. */
  of({ bytes, starts, ends }: Slab, row: number): string | undefined {
    const { finder } = this;
    if (!finder.find(bytes, starts[row]!, ends[row]!)) return undefined;
    const [start, end] = [finder.starts[0]!, finder.ends[0]!];
    if (finder.kinds[0] === FieldKind.number) return numberText(bytes, start, end);
    return finder.kinds[0] === FieldKind.string ? readString(bytes, start, end) : undefined;
  }
}
