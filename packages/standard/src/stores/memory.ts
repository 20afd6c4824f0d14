import type { Clock, Logger, StateEntry, StateStore, StateWrite, StoreDefinition, WriteResult } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { parseStateUrl } from "./state-url.ts";

const MAX_KEYS = 1_000_000;

/** `memory:` or `memory://name?max_keys=1000`. The host decides who shares a store; this one is new with every `open`. */
export const memoryStore: StoreDefinition = {
  description: "Keeps entries in the memory of the process",
  durable: false,
  open(url, { clock, log }) {
    const given = parseStateUrl(url, ["max_keys"]).params.get("max_keys");
    if (given !== undefined && !/^[1-9][0-9]{0,14}$/.test(given)) {
      throw errors.STORE_URL({ url, reason: `max_keys is "${given}", not an integer of at least 1` });
    }
    return new MemoryStore(given === undefined ? MAX_KEYS : Number(given), clock, log);
  },
};

/** A bounded store: beyond `maxKeys` the entries that were written longest ago go first. */
export class MemoryStore implements StateStore {
  /** In the order in which they were written. */
  private readonly entries = new Map<string, StateEntry>();
  private readonly maxKeys: number;
  private readonly clock: Clock;
  private readonly log: Logger;
  private versions = 0;
  private warned = false;
  private closed = false;

  constructor(maxKeys: number, clock: Clock, log: Logger) {
    this.maxKeys = maxKeys;
    this.clock = clock;
    this.log = log;
  }

  async getMany(keys: readonly string[]): Promise<readonly (StateEntry | undefined)[]> {
    this.check();
    return keys.map((key) => this.get(key));
  }

  async putMany(writes: readonly StateWrite[]): Promise<readonly WriteResult[]> {
    this.check();
    const results = writes.map((write) => this.put(write));
    if (this.entries.size > this.maxKeys) this.evict();
    return results;
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    this.check();
    for (const key of keys) this.entries.delete(key);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.entries.clear();
  }

  private get(key: string): StateEntry | undefined {
    const entry = this.entries.get(key);
    if (!entry || !this.isExpired(entry)) return entry;
    this.entries.delete(key);
    return undefined;
  }

  private put({ key, value, expectedVersion, expiresAt }: StateWrite): WriteResult {
    const current = this.get(key);
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? null)) {
      return current ? { type: "conflict", current } : { type: "conflict" };
    }
    const version = String(++this.versions);
    const entry = { key, value: Uint8Array.from(value), version };
    this.entries.delete(key);
    this.entries.set(key, expiresAt === undefined ? entry : { ...entry, expiresAt });
    return { type: "written", version };
  }

  private evict(): void {
    let forgotten = false;
    for (const [key, entry] of this.entries) {
      this.entries.delete(key);
      forgotten ||= !this.isExpired(entry);
      if (this.entries.size <= this.maxKeys) break;
    }
    if (!forgotten || this.warned) return;
    this.warned = true;
    this.log.warn(
      `a memory: state store holds more than max_keys=${this.maxKeys} entries; the oldest ones are forgotten`,
    );
  }

  private isExpired({ expiresAt }: StateEntry): boolean {
    return expiresAt !== undefined && expiresAt <= this.clock.now();
  }

  private check(): void {
    if (this.closed) throw errors.STORE_CLOSED({});
  }
}
