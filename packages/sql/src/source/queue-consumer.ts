import {
  batchOf,
  type Clock,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type Logger,
  Message,
} from "@mqb/core/plugin";
import type { Claim, SqlQueue } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Pauses } from "./pause.ts";
import { untilThere } from "./until-there.ts";

export interface QueueSetup {
  readonly queue: SqlQueue;
  readonly remove: boolean;
  /** Of the route: outlives a reconnect. */
  readonly session: Map<string, unknown>;
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly log: Logger;
  readonly draining: boolean;
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly release: () => Promise<void>;
}

const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
const LEFT = "sqlx leases";

/** What was claimed and is not settled. The token changes with each renewal. */
interface Held {
  claim: Claim;
  renewing: Promise<void>;
}

/** Reads a table as a queue: rows are claimed for 60 s, which is renewed while their messages are on their way. */
export class QueueConsumer implements Consumer {
  private readonly setup: QueueSetup;
  private readonly held = new Set<Held>();
  private readonly closed = new AbortController();
  private closing: Promise<void> | undefined;
  private cancelRenewal: (() => void) | undefined;
  private waiting = 0;
  private claiming: Promise<unknown> | undefined;

  constructor(setup: QueueSetup) {
    this.setup = setup;
  }

  receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const { pauses } = this.setup;
    const stop = AbortSignal.any([signal, this.closed.signal]);
    return untilThere({ pauses, stop, isDone: () => this.isDrained(), next: () => this.claim(max, stop) });
  }

  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  status(): EndpointStatus {
    const { target, details } = this.setup;
    return { healthy: true, target, capacity: this.waiting, details };
  }

  /**
   * A claim leaves out rows that others have locked. These may be free ones all the same: MariaDB deletes from a small
   * table by a scan, which locks each of its rows.
   */
  private async isDrained(): Promise<boolean> {
    return this.setup.draining && (await this.setup.queue.pending()) === 0;
  }

  private async claim(max: number, stop: AbortSignal): Promise<Delivery | undefined> {
    const { queue } = this.setup;
    const claiming = queue.claim(max, LEASE_MS, stop);
    this.claiming = claiming.catch(() => {});
    let claim: Claim;
    try {
      claim = await claiming;
    } catch (error) {
      for (const unsure of queue.takeUnsure()) this.leave(unsure);
      throw error;
    }
    return claim.ids.length > 0 ? this.delivery(claim) : undefined;
  }

  private delivery(claim: Claim): Delivery {
    const held: Held = { claim, renewing: Promise.resolve() };
    this.held.add(held);
    this.waiting += claim.ids.length;
    this.schedule();
    const batch = batchOf(claim.payloads.map((payload) => new Message(payload)));
    return { batch, commit: (dispositions) => this.commit(held, dispositions) };
  }

  private async commit(held: Held, dispositions: readonly Disposition[] | undefined): Promise<void> {
    if (!this.held.delete(held)) throw errors.CLOSED({ target: this.setup.target });
    this.waiting -= held.claim.ids.length;
    await held.renewing;
    const { claim } = held;
    const nacked = claim.ids.filter((_, i) => dispositions?.[i]?.type === "nack");
    const acked = nacked.length === 0 ? claim.ids : claim.ids.filter((_, i) => dispositions![i]!.type !== "nack");
    try {
      if (this.setup.remove && acked.length > 0) await this.setup.queue.remove(claim, acked);
      if (nacked.length > 0) await this.setup.queue.release(claim, nacked);
    } catch (error) {
      this.leave(claim);
      throw error;
    }
  }

  /** Rows that could not be given back: the next opening does it, so that they need not wait for their lease to end. */
  private leave(claim: Claim): void {
    const { session } = this.setup;
    session.set(LEFT, [...leftIn(session), claim]);
  }

  private schedule(): void {
    this.cancelRenewal ??= this.setup.clock.timer(RENEW_MS, () => {
      this.cancelRenewal = undefined;
      for (const held of this.held) held.renewing = held.renewing.then(() => this.renew(held));
      if (this.held.size > 0) this.schedule();
    });
  }

  private async renew(held: Held): Promise<void> {
    try {
      held.claim = await this.setup.queue.renew(held.claim, held.claim.ids, LEASE_MS);
    } catch (error) {
      this.setup.log.warn(`the lease of ${held.claim.ids.length} rows of ${this.setup.target} was not renewed`, {
        error,
      });
    }
  }

  private async end(): Promise<void> {
    this.closed.abort();
    this.cancelRenewal?.();
    // A claim that nobody will be given goes back with the others.
    await this.claiming;
    const left = [...this.held];
    this.held.clear();
    this.waiting = 0;
    for (const { claim, renewing } of left) {
      try {
        await renewing;
        await this.setup.queue.release(claim, claim.ids);
      } catch {
        this.leave(claim);
      }
    }
    await this.setup.release();
  }
}

/** Frees what an earlier opening of the same route could not. */
export async function releaseLeft(queue: SqlQueue, session: Map<string, unknown>): Promise<void> {
  for (const claim of leftIn(session)) await queue.release(claim, claim.ids);
  session.delete(LEFT);
}

function leftIn(session: Map<string, unknown>): readonly Claim[] {
  return (session.get(LEFT) as readonly Claim[] | undefined) ?? [];
}
