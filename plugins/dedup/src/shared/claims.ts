import type { Clock, StateEntry, StateStore, StateWrite } from "@mqb/core/plugin";

/** How long a key stays with a process that says nothing any more. */
export const CLAIM_MS = 5000;
const CLAIMED = Buffer.from("claimed");
const SEEN = new Uint8Array(0);

/** Keys that one delivery holds, with the versions that they have in the store. */
export interface Claim {
  readonly keys: readonly string[];
  /** By position; undefined = somebody else has the key meanwhile. */
  versions: (string | undefined)[];
  /** Until when the store keeps them for us. */
  until: number;
  /** What is being done about it; one thing after another. */
  turn: Promise<unknown>;
}

/** What the store knows of a key. */
type Known = "seen" | "claimed" | "nothing";

/** Keys in a store that other processes use as well: held while their message is on its way, then remembered. */
export class Claims {
  private readonly store: StateStore;
  private readonly clock: Clock;

  constructor(store: StateStore, clock: Clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Holds those that are free. The others are told of, by key. */
  async take(keys: readonly string[]): Promise<{ claim: Claim; others: ReadonlyMap<string, Known> }> {
    const until = this.clock.now() + CLAIM_MS;
    const results = await this.store.putMany(
      keys.map((key) => ({ key, value: CLAIMED, expectedVersion: null, expiresAt: until })),
    );
    const own: string[] = [];
    const versions: string[] = [];
    const others = new Map<string, Known>();
    for (let i = 0; i < keys.length; i++) {
      const result = results[i]!;
      if (result.type === "written") {
        own.push(keys[i]!);
        versions.push(result.version);
      } else others.set(keys[i]!, knownOf(result.current));
    }
    return { claim: { keys: own, versions, until, turn: Promise.resolve() }, others };
  }

  async look(keys: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const found = await this.store.getMany(keys);
    return new Map(keys.map((key, i) => [key, knownOf(found[i])]));
  }

  /** Holds them for longer. Gives how many somebody else has taken. */
  renew(claim: Claim): Promise<number> {
    return this.inTurn(claim, async () => {
      const until = this.clock.now() + CLAIM_MS;
      const held = heldOf(claim);
      const results = await this.store.putMany(held.map((i) => write(claim, i, CLAIMED, until)));
      let lost = 0;
      for (const [n, i] of held.entries()) {
        const result = results[n]!;
        claim.versions[i] = result.type === "written" ? result.version : undefined;
        if (result.type === "conflict") lost++;
      }
      claim.until = until;
      return lost;
    });
  }

  /** Remembers the keys of what was accepted and frees the others. Gives how many somebody else has taken. */
  settle(claim: Claim, failed: Uint8Array | undefined, expiresAt: number): Promise<number> {
    return this.inTurn(claim, async () => {
      const held = heldOf(claim);
      const gone = claim.versions.length - held.length;
      const accepted = failed ? held.filter((i) => failed[i] !== 1) : held;
      const writes = accepted.map((i) => write(claim, i, SEEN, expiresAt));
      if (failed) for (const i of held) if (failed[i] === 1) writes.push(write(claim, i, SEEN, 0));
      const results = writes.length > 0 ? await this.store.putMany(writes) : [];
      return gone + results.filter((result) => result.type === "conflict").length;
    });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private inTurn<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    const turn = claim.turn.then(work);
    claim.turn = turn.catch(() => {});
    return turn;
  }
}

function heldOf({ versions }: Claim): number[] {
  const held: number[] = [];
  for (let i = 0; i < versions.length; i++) if (versions[i] !== undefined) held.push(i);
  return held;
}

/** Takes effect only while the key is still ours: a process that was asleep cannot write over others. */
function write(claim: Claim, at: number, value: Uint8Array, expiresAt: number): StateWrite {
  return { key: claim.keys[at]!, value, expectedVersion: claim.versions[at]!, expiresAt };
}

function knownOf(entry: StateEntry | undefined): Known {
  if (!entry) return "nothing";
  return Buffer.from(entry.value).equals(CLAIMED) ? "claimed" : "seen";
}
