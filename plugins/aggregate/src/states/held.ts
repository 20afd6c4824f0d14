/** A state in memory. */
export interface Held {
  /** The key that it is stored under; empty without a store. */
  readonly stored: string;
  /** Undefined = there is none yet. */
  state: unknown;
  /** The version that the store has of it; null = none. */
  version: string | null;
  /** When it was used last, in the counting of its table. */
  used: number;
  /** Changes that the store does not have yet: those that wait, and those that are being written. */
  unsaved: number;
}

export function hold(stored: string, state: unknown, version: string | null): Held {
  return { stored, state, version, used: 0, unsaved: 0 };
}
