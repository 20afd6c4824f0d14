import type { MessageBatch, Predicate } from "@mqb/core/plugin";

/** So many messages of the first batch are looked at, and one of each later batch. */
const LOOKED_AT = 100;

/**
 * Watches a predicate until it is true for the first time. A misspelt field takes every message out and is no error, so that
 * nobody would be told: this one can say which fields no message had.
 */
export class NeverTrue {
  private readonly predicate: Predicate;
  private seen = 0;
  private wasTrue = false;
  /** What the predicate reads and none of the messages that were looked at has; undefined before the first. */
  private missing: readonly string[] | undefined;

  constructor(predicate: Predicate) {
    this.predicate = predicate;
  }

  /** Called with each batch that was tested, and for how many of its messages the predicate was true. */
  note(batch: MessageBatch, matched: number): void {
    if (this.wasTrue || batch.length === 0) return;
    if (matched > 0) {
      this.wasTrue = true;
      return;
    }
    const look = this.seen === 0 ? Math.min(batch.length, LOOKED_AT) : 1;
    this.seen += batch.length;
    for (let index = 0; index < look && this.missing?.length !== 0; index++) {
      const absent = this.predicate.absent?.(batch, index) ?? [];
      this.missing = this.missing ? this.missing.filter((name) => absent.includes(name)) : absent;
    }
  }

  /** `none of 3 messages: they have no field amout`; undefined when it was true, or for another reason never. */
  explain(): string | undefined {
    const { missing, seen } = this;
    if (this.wasTrue || !missing || missing.length === 0) return undefined;
    return `none of ${seen} message(s): they have no ${missing.join(", no ")}`;
  }
}
