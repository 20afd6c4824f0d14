import { ACCEPTED, failed, type Outcome } from "@mqb/core/plugin";

/** Collects what became of the messages of a batch; the first word about each counts. */
export class Outcomes {
  private readonly size: number;
  private known = 0;
  private list: (Outcome | undefined)[] | undefined;
  private allStored = true;

  constructor(size: number) {
    this.size = size;
  }

  set(positions: readonly number[], error: Error | undefined): void {
    const list = (this.list ??= new Array<Outcome | undefined>(this.size));
    const outcome = error ? failed(error) : ACCEPTED;
    for (const position of positions) {
      if (list[position] !== undefined) continue;
      list[position] = outcome;
      this.known += 1;
      if (error) this.allStored = false;
    }
  }

  /** Of every message that nothing is known of. */
  fail(error: Error): void {
    if (this.known === this.size) return;
    this.set(
      Array.from({ length: this.size }, (_, i) => i),
      error,
    );
  }

  result(): readonly Outcome[] | undefined {
    return this.allStored ? undefined : (this.list as readonly Outcome[]).slice();
  }

  failures(): { readonly count: number; readonly error: unknown } {
    const bad = (this.list ?? []).filter((outcome) => outcome?.type === "failed");
    const first = bad[0];
    return { count: bad.length, error: first?.type === "failed" ? first.error : undefined };
  }
}
