import type { Clock, Logger, StateEntry, StateStore, StateWrite, StoreDefinition, WriteResult } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { parseStateUrl } from "./state-url.ts";

const MAX_KEYS = 1_000_000;

/**
 * `memory:` or `memory://name?max_keys=1000`. Entries live as long as the bridge: they survive reconnects, and all who
 * open the same name share them, with the `max_keys` of the first.
 */
export const memoryStore: StoreDefinition = {
  description: "Keeps entries in the memory of the process",
  durable: false,
  probe: async () => [{ check: "reachable", ok: true, detail: "entries are kept in this process, until it ends" }],
  open(url, { clock, log, local }) {
    const { params } = parseStateUrl(url, ["max_keys"]);
    const given = params.get("max_keys");
    if (given !== undefined && !/^[1-9][0-9]{0,14}$/.test(given)) {
      throw errors.STORE_URL({ url, reason: `max_keys is "${given}", not an integer of at least 1` });
    }
    const name = url.split("?", 1)[0];
    return local(
      `@mqb/standard:memory-store:${name}`,
      () => new MemoryEntries(given === undefined ? MAX_KEYS : Number(given), clock, log),
    ).open();
  },
};

/** A bounded store: beyond `maxKeys` the entries that were written longest ago go first. */
class MemoryEntries {
  /** In the order in which they were written. */
  private readonly entries = new Map<string, StateEntry>();
  private readonly maxKeys: number;
  private readonly clock: Clock;
  private readonly log: Logger;
  private versions = 0;
  private warned = false;

  constructor(maxKeys: number, clock: Clock, log: Logger) {
    this.maxKeys = maxKeys;
    this.clock = clock;
    this.log = log;
  }

  /** A handle of its own for each who opens the store; closing one leaves the entries to the others. */
  open(): StateStore {
    let closed = false;
    const entries = (): this => {
      if (closed) throw errors.STORE_CLOSED({});
      return this;
    };
    return {
      getMany: async (keys) => {
        const open = entries();
        return keys.map((key) => open.get(key));
      },
      putMany: async (writes) => entries().putMany(writes),
      deleteMany: async (keys) => {
        const open = entries();
        for (const key of keys) open.entries.delete(key);
      },
      close: async () => {
        closed = true;
      },
    };
  }

  private putMany(writes: readonly StateWrite[]): readonly WriteResult[] {
    const results = writes.map((write) => this.put(write));
    if (this.entries.size > this.maxKeys) this.evict();
    return results;
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
}
