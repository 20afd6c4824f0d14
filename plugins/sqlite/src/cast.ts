import type { Bound } from "@mqb/sql";

/**
 * A value that is bound in another form and cast back: `@photostructure/sqlite` 1.2 cuts texts at a NUL character, and takes
 * doubles that are whole, or nearly, for integers.
 */
export class Cast {
  readonly type: "TEXT" | "REAL";
  readonly value: Uint8Array | string;

  constructor(type: "TEXT" | "REAL", value: Uint8Array | string) {
    this.type = type;
    this.value = value;
  }
}

export function textValue(text: string): Bound {
  return text.includes("\u0000") ? new Cast("TEXT", Buffer.from(text)) : text;
}

/** `text` is how the number was written. */
export function realValue(value: number, text: string): Bound {
  const isNearlyWhole = Math.abs(value - Math.floor(value)) < Number.EPSILON && Math.abs(value) <= 2 ** 31;
  return isNearlyWhole ? new Cast("REAL", text) : value;
}

export function hasCast(row: readonly Bound[]): boolean {
  for (let i = 0; i < row.length; i++) if (row[i] instanceof Cast) return true;
  return false;
}
