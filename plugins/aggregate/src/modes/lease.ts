import { randomUUID } from "node:crypto";
import type { Clock, StateStore, WriteResult } from "@mqb/core/plugin";
import { isGone, type ProcessMark, thisProcess } from "@mqb/standard";
import { errors } from "../errors.ts";

/** How long a lease is good for when its holder says nothing more; on another host nobody can tell that it has ended. */
const LIFE_MS = 15_000;
const RENEW_MS = 5_000;

/** What stands in the store. */
interface Holder extends ProcessMark {
  readonly id: string;
  /** Unix milliseconds. */
  readonly until: number;
}

export interface LeaseSetup {
  readonly store: StateStore;
  /** Where it is kept: one entry for each aggregate. */
  readonly keys: readonly string[];
  readonly clock: Clock;
  /** Of the same route after a reconnect: what it holds still is its own. */
  readonly id?: string;
}

/**
 * Says in the store who writes its states, so that a second single writer is refused at its start. It only keeps apart who
 * keeps to it: what a write is based on is still told by the versions of the states.
 */
export class Lease {
  readonly id: string;
  private readonly setup: LeaseSetup;
  private readonly mark: ProcessMark;
  private versions: (string | null)[];
  /** Until when nobody else takes it. */
  private until = 0;
  private cancel: () => void = () => {};
  private renewing: Promise<void> | undefined;
  private lost: Error | undefined;
  private closed = false;

  private constructor(setup: LeaseSetup, id: string, mark: ProcessMark, versions: (string | null)[]) {
    this.setup = setup;
    this.id = id;
    this.mark = mark;
    this.versions = versions;
  }

  /** Rejects with LEASED while somebody else has it, and with what the store says. */
  static async take(setup: LeaseSetup): Promise<Lease> {
    const { store, keys, clock, id = randomUUID() } = setup;
    const found = await store.getMany(keys);
    for (const entry of found) {
      const holder = entry && parse(entry.value);
      if (!holder || holder.id === id || holder.until <= clock.now() || (await isGone(holder))) continue;
      throw leasedBy(holder);
    }
    const lease = new Lease(
      setup,
      id,
      await thisProcess(),
      found.map((entry) => entry?.version ?? null),
    );
    await lease.write();
    if (lease.lost) throw lease.lost;
    lease.renewLater();
    return lease;
  }

  /** Throws when somebody else has it by now, or may have it: a process that was asleep has not renewed it. */
  check(): void {
    if (this.lost) throw this.lost;
    if (this.until <= this.setup.clock.now()) throw errors.LEASE_GONE({});
  }

  /**
   * Gives it back, unless somebody else has it by now. Never rejects: what stays in the store is over soon. Its entry stays, so
   * that its versions never come again.
   */
  async release(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.cancel();
    await this.renewing;
    await this.put(0).catch(() => {});
  }

  private renewLater(): void {
    this.cancel = this.setup.clock.timer(RENEW_MS, () => {
      // A store that is out of reach for now is asked again; the writes of states tell of it.
      this.renewing = this.write()
        .catch(() => {})
        .finally(() => {
          if (!this.closed && !this.lost) this.renewLater();
        });
    });
  }

  private async write(): Promise<void> {
    const until = this.setup.clock.now() + LIFE_MS;
    const results = await this.put(until);
    this.versions = results.map((result, i) => {
      if (result.type === "written") return result.version;
      const other = result.current && parse(result.current.value);
      this.lost ??= other ? leasedBy(other) : errors.LEASE_GONE({});
      return this.versions[i]!;
    });
    if (!this.lost) this.until = until;
  }

  private put(until: number): Promise<readonly WriteResult[]> {
    const { store, keys } = this.setup;
    const holder: Holder = { ...this.mark, id: this.id, until };
    const value = Buffer.from(JSON.stringify(holder));
    return store.putMany(keys.map((key, i) => ({ key, value, expectedVersion: this.versions[i]! })));
  }
}

function leasedBy({ pid, host }: ProcessMark): Error {
  return errors.LEASED({ holder: `process ${pid} on ${host}` });
}

/** Undefined for what is no lease: whoever wrote that does not keep to it. */
function parse(value: Uint8Array): Holder | undefined {
  try {
    const holder = JSON.parse(Buffer.from(value).toString()) as Partial<Holder> | null;
    const isOne = typeof holder?.id === "string" && typeof holder.pid === "number" && typeof holder.host === "string";
    return isOne && typeof holder.until === "number" ? (holder as Holder) : undefined;
  } catch {
    return undefined;
  }
}
