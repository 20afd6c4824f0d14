import type { Clock, Logger } from "@mqb/core/plugin";
import type { Positions } from "../checkpoint/checkpoint-table.ts";
import type { CursorPlace } from "../checkpoint/open.ts";
import { writeStored } from "../checkpoint/position.ts";

/** Keeps the position of a cursor in the session, and where the configuration names a place, there. */
export class Saver {
  /** The last value that was acked without a gap before it. */
  acked: string | undefined;
  /** The last one that was stored. */
  saved: string | undefined;
  private readonly kind: "int" | "str";
  private readonly session: Map<string, unknown>;
  private readonly stored: { readonly place: CursorPlace; readonly positions: Positions } | undefined;
  private readonly clock: Clock;
  private readonly log: Logger;

  constructor(setup: {
    readonly kind: "int" | "str";
    readonly acked: string | undefined;
    readonly session: Map<string, unknown>;
    readonly stored: { readonly place: CursorPlace; readonly positions: Positions } | undefined;
    readonly clock: Clock;
    readonly log: Logger;
  }) {
    this.kind = setup.kind;
    this.acked = setup.acked;
    this.session = setup.session;
    this.stored = setup.stored;
    this.clock = setup.clock;
    this.log = setup.log;
  }

  /** Rows up to this value were acked. A position that cannot be stored is said, and costs rows that are read again. */
  async save(value: string): Promise<void> {
    this.acked = value;
    this.session.set(SESSION, value);
    if (!this.stored) return;
    const { place, positions } = this.stored;
    try {
      await positions.write(place.key, writeStored({ kind: this.kind, value }, place.source, this.clock.now()));
      this.saved = value;
    } catch (error) {
      this.log.warn(`the position of ${place.source} was not stored: after a restart rows come again`, { error });
    }
  }

  async close(): Promise<void> {
    await this.stored?.positions.close();
  }
}

/** Where a source without a stored position remembers how far it was acked. */
export const SESSION = "sqlx position";
