/** One stored value. The version is the store's own text; it changes with every write of the key. */
export interface StateEntry {
  readonly key: string;
  readonly value: Uint8Array;
  readonly version: string;
  /** Unix milliseconds after which the entry counts as absent. */
  readonly expiresAt?: number;
}

export interface StateWrite {
  readonly key: string;
  readonly value: Uint8Array;
  /** Write only when the stored version is this one; `null` = only when the key is absent. Left out = always. */
  readonly expectedVersion?: string | null;
  readonly expiresAt?: number;
}

/** `written` with the new version, or `conflict` with the entry that is there instead (undefined: the key is absent). */
export type WriteResult =
  | { readonly type: "written"; readonly version: string }
  | { readonly type: "conflict"; readonly current?: StateEntry };

/**
 * State that outlives a process: checkpoints, deduplication, aggregation, leases. Keys are any text of at most 255
 * characters. Every method may be called concurrently. Failures are thrown as `connection` or `permanent` errors; a
 * write that has resolved survives a `kill -9`, unless the store says otherwise (`memory:`).
 */
export interface StateStore {
  /** One result per key, by position; `undefined` where the key is absent or expired. */
  getMany(keys: readonly string[]): Promise<readonly (StateEntry | undefined)[]>;
  /** One result per write, by position. Writes of one call that name the same key are applied in order. */
  putMany(writes: readonly StateWrite[]): Promise<readonly WriteResult[]>;
  /** Absent keys are no error. */
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
}
