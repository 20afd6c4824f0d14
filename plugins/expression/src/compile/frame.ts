import { expressionErrors } from "../errors.ts";
import type { Value } from "../value.ts";

/** Steps of loops that one evaluation may take. */
export const MAX_STEPS = 1_000_000;

/** Where an expression gets its values from; one per compiled expression, filled anew for each message. */
export interface Source {
  /** The field that was compiled to this slot. */
  field(slot: number): Value;
  /** Whether the field is this text, whose JSON has no escapes: compared as bytes, without making a text of it. */
  isText(slot: number, text: string, quoted: Buffer): boolean;
  /** The field where it is a number, or a text that writes one, and all of that is a double; undefined for the rest. */
  plainNumber(slot: number): number | undefined;
  /** A metadata value as text, or null. */
  meta(key: string): Value;
  wholeMeta(): Value;
  /** `$root`, the whole payload. */
  root(): Value;
}

/** The state of one evaluation. */
export class Frame {
  readonly source: Source;
  /** Elements of the loops that are running, the innermost last. */
  readonly elements: Value[] = [];
  readonly locals = new Map<string, Value>();
  private steps = 0;

  constructor(source: Source) {
    this.source = source;
  }

  reset(): void {
    this.steps = 0;
    // Asked first: even what is empty costs more to empty than the rest of a small expression.
    if (this.elements.length > 0) this.elements.length = 0;
    if (this.locals.size > 0) this.locals.clear();
  }

  step(count = 1): void {
    this.steps += count;
    if (this.steps > MAX_STEPS) throw expressionErrors.TOO_MUCH({ limit: MAX_STEPS });
  }
}

/** A compiled expression, or a part of one. */
export type Code = (frame: Frame) => Value;
