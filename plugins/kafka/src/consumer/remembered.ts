import type { Partition } from "./partition.ts";

const POSITIONS = "kafka positions";

/** How far a subscriber has come, over reconnects of its route: its group keeps no positions. */
export class Remembered {
  readonly positions: Map<string, number>;

  constructor(session: Map<string, unknown>) {
    this.positions = (session.get(POSITIONS) as Map<string, number> | undefined) ?? new Map<string, number>();
    session.set(POSITIONS, this.positions);
  }

  keep({ key, settled }: Partition): void {
    this.positions.set(key, settled);
  }
}
