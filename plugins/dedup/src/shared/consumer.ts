import {
  ACK,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  nack,
  sleep,
} from "@mqb/core/plugin";
import type { DeduplicationContext } from "../consumer.ts";
import { errors } from "../errors.ts";
import { CLAIM_MS, type Claim, type Claims } from "./claims.ts";
import type { KeyTexts } from "./key-texts.ts";

const RENEW_MS = 1500;
const LOOK_MS = 100;
/** How long the end waits for keys to be freed. */
const FREE_MS = 500;
/** How long a duplicate waits for what becomes of the first one; it goes back to its source then. */
const LONGEST_WAIT_MS = 5 * 60_000;

interface SharedOptions {
  readonly claims: Claims;
  readonly keys: KeyTexts;
  readonly ttlMs: number;
}

/** A delivery of this process, by whose fate others go that have the same keys. */
interface Flight {
  readonly claim: Claim;
  readonly places: ReadonlyMap<string, number>;
  /** Settled once its keys are; by position of the claim, 1 = not accepted. */
  readonly settled: Promise<Uint8Array | undefined>;
  readonly settle: (failed: Uint8Array | undefined) => void;
}

interface Waiting {
  readonly at: number;
  readonly key: string;
  /** Undefined = another process has the key. */
  readonly flight: Flight | undefined;
}

/**
 * Around a consumer: hands on the messages whose key nobody has seen who uses the same store. A key is held in the store
 * from the receipt of its message to the commit, and longer than five seconds only while its process lives.
 */
export class SharedDeduplicator implements Consumer {
  readonly status?: () => EndpointStatus;
  private readonly inner: Consumer;
  private readonly o: SharedOptions;
  private readonly context: DeduplicationContext;
  private readonly flights = new Set<Flight>();
  private readonly closing = new AbortController();
  private cancelRenewal: (() => void) | undefined;
  private closed: Promise<void> | undefined;
  /** Why the store could not be asked. */
  private trouble: unknown;

  constructor(inner: Consumer, options: SharedOptions, context: DeduplicationContext) {
    this.inner = inner;
    this.o = options;
    this.context = context;
    if (inner.status) this.status = () => inner.status!();
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    if (this.trouble !== undefined) throw errors.STORE_GONE({}, { cause: this.trouble });
    const delivery = await this.inner.receive(max, signal);
    if (delivery.batch.length === 0) return delivery;
    try {
      return await this.sifted(delivery);
    } catch (error) {
      return this.returned(delivery, error);
    }
  }

  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    this.closing.abort();
    this.cancelRenewal?.();
    await this.free([...this.flights]);
    try {
      await this.inner.close();
    } finally {
      await this.o.claims.close();
    }
  }

  /** What cannot be freed is free in five seconds: the source does not wait for a store that says nothing. */
  private async free(flights: readonly Flight[]): Promise<void> {
    const freed = new AbortController();
    const all = flights.map(async (flight) => {
      const failed = new Uint8Array(flight.claim.keys.length).fill(1);
      await this.o.claims.settle(flight.claim, failed, 0).catch(() => {});
      this.land(flight, failed);
    });
    await Promise.race([Promise.all(all), sleep(this.context.clock, FREE_MS, freed.signal)]);
    freed.abort();
    for (const flight of this.flights) this.land(flight, new Uint8Array(flight.claim.keys.length).fill(1));
  }

  /** Nothing of it goes on: in its turn it goes back to the source, and then the route opens both ends anew. */
  private returned(delivery: Delivery, error: unknown): Delivery {
    this.trouble = error;
    const { length } = delivery.batch;
    this.count("nacked", length);
    const dispositions = new Array<Disposition>(length).fill(nack(error));
    return {
      batch: delivery.batch.select(new Uint32Array(0)),
      emptied: true,
      commit: () => delivery.commit(dispositions),
    };
  }

  private async sifted(delivery: Delivery): Promise<Delivery> {
    const { batch } = delivery;
    const { claims, keys } = this.o;
    const texts = keys.of(batch);
    if (keys.keyless > 0) this.warnOfKeyless(keys.keyless, batch.length);
    const firsts = new Map<string, number>();
    // Those that were in flight before; they may have landed when the store has answered.
    const before = new Map<string, Flight>();
    for (const [at, key] of texts.entries()) {
      if (firsts.has(key) || before.has(key)) continue;
      const holder = this.flightOf(key);
      if (holder) before.set(key, holder);
      else firsts.set(key, at);
    }
    const { claim, others } = await claims.take([...firsts.keys()]);
    const flight = this.begin(claim);
    const kept: number[] = [];
    const waiting: Waiting[] = [];
    for (const [at, key] of texts.entries()) {
      const isFirst = firsts.get(key) === at;
      if (isFirst && flight.places.has(key)) kept.push(at);
      else if (!others.has(key)) waiting.push({ at, key, flight: before.get(key) ?? flight });
      // One that was given up in this moment is waited for as well: it comes back.
      else if (others.get(key) !== "seen") waiting.push({ at, key, flight: undefined });
    }
    this.count("deduplicated", batch.length - kept.length - waiting.length);
    const commit = (own?: readonly Disposition[]): Promise<void> => this.commit(delivery, flight, kept, waiting, own);
    const release = (): void => delivery.release?.();
    if (kept.length === batch.length) return { batch, commit, release };
    const rest = batch.select(Uint32Array.from(kept));
    return kept.length > 0 ? { batch: rest, commit, release } : { batch: rest, commit, release, emptied: true };
  }

  private async commit(
    delivery: Delivery,
    flight: Flight,
    kept: readonly number[],
    waiting: readonly Waiting[],
    own: readonly Disposition[] | undefined,
  ): Promise<void> {
    if (this.closing.signal.aborted) throw errors.CLOSED({});
    const failed = own?.some(isNack) ? Uint8Array.from(own, (one) => (isNack(one) ? 1 : 0)) : undefined;
    // The keys of a claim stand in the order of the messages that were kept.
    const expiresAt = this.context.clock.now() + this.o.ttlMs;
    try {
      const taken = flight.claim.keys.length > 0 ? await this.o.claims.settle(flight.claim, failed, expiresAt) : 0;
      if (taken > 0) this.warnOfTaken(taken);
      this.land(flight, failed);
    } catch (error) {
      this.land(flight, new Uint8Array(flight.claim.keys.length).fill(1));
      throw errors.STORE_GONE({}, { cause: error });
    }
    if (this.closing.signal.aborted) throw errors.CLOSED({});
    if (kept.length === delivery.batch.length) return await delivery.commit(own);
    const dispositions = new Array<Disposition>(delivery.batch.length).fill(ACK);
    for (let i = 0; own && i < kept.length; i++) dispositions[kept[i]!] = own[i]!;
    if (waiting.length > 0) await this.decide(waiting, dispositions);
    if (this.closing.signal.aborted) throw errors.CLOSED({});
    await delivery.commit(dispositions.every((one) => one === ACK) ? undefined : dispositions);
  }

  private begin(claim: Claim): Flight {
    let settle!: (failed: Uint8Array | undefined) => void;
    const settled = new Promise<Uint8Array | undefined>((resolve) => {
      settle = resolve;
    });
    const flight = { claim, places: new Map(claim.keys.map((key, i) => [key, i])), settled, settle };
    this.flights.add(flight);
    this.schedule();
    return flight;
  }

  private land(flight: Flight, failed: Uint8Array | undefined): void {
    this.flights.delete(flight);
    flight.settle(failed);
  }

  private flightOf(key: string): Flight | undefined {
    for (const flight of this.flights) if (flight.places.has(key)) return flight;
    return undefined;
  }

  /** Waits for those that hold the keys; a duplicate of what was not accepted goes back to its source. */
  private async decide(waiting: readonly Waiting[], dispositions: Disposition[]): Promise<void> {
    const elsewhere = new Set(waiting.filter(({ flight }) => !flight).map(({ key }) => key));
    const seen = elsewhere.size > 0 ? await this.seenElsewhere(elsewhere) : elsewhere;
    let deduplicated = 0;
    for (const { at, key, flight } of waiting) {
      const accepted = flight ? (await flight.settled)?.[flight.places.get(key)!] !== 1 : seen.has(key);
      if (accepted) deduplicated++;
      else dispositions[at] = nack(errors.FIRST_FAILED({}));
    }
    if (this.closing.signal.aborted) return;
    this.count("deduplicated", deduplicated);
    this.count("nacked", waiting.length - deduplicated);
  }

  /** Those of the keys that another process has brought to their end. */
  private async seenElsewhere(keys: ReadonlySet<string>): Promise<Set<string>> {
    const { clock } = this.context;
    const end = clock.monotonic() + LONGEST_WAIT_MS;
    const seen = new Set<string>();
    let open = [...keys];
    while (open.length > 0 && clock.monotonic() < end) {
      const known = await this.o.claims.look(open);
      for (const key of open) if (known.get(key) === "seen") seen.add(key);
      open = open.filter((key) => known.get(key) === "claimed");
      if (open.length > 0 && !(await sleep(clock, LOOK_MS, this.closing.signal))) break;
    }
    return seen;
  }

  /** While something is on its way, its keys stay held. */
  private schedule(): void {
    this.cancelRenewal ??= this.context.clock.timer(RENEW_MS, () => {
      this.cancelRenewal = undefined;
      for (const flight of this.flights) this.renew(flight);
      if (this.flights.size > 0) this.schedule();
    });
  }

  private renew({ claim }: Flight): void {
    if (claim.keys.length === 0 || claim.until - this.context.clock.now() > CLAIM_MS - RENEW_MS / 2) return;
    this.o.claims.renew(claim).then(
      (taken) => taken > 0 && this.warnOfTaken(taken),
      (error: unknown) => this.context.log.warn("keys of deduplication could not be held for longer", { error }),
    );
  }

  private count(what: "deduplicated" | "nacked", messages: number): void {
    if (messages === 0) return;
    const { accounting, below, log, route } = this.context;
    if (what === "deduplicated") {
      accounting.settle(what, messages);
      return;
    }
    const takesBack = below.takesBack ?? below.acknowledges;
    accounting.settle(takesBack ? "nacked" : "dropped", messages);
    if (!takesBack) log.warn(`${messages} message(s) are lost: the source takes nothing back`, { route });
  }

  private warnOfTaken(count: number): void {
    const { log, route } = this.context;
    log.warn(
      `${count} key(s) were held for longer than ${CLAIM_MS / 1000} s without a sign of life, and others have them now: their messages may be delivered twice`,
      { route },
    );
  }

  /** Once in the life of the route, then for those who look closely. */
  private warnOfKeyless(count: number, of: number): void {
    const { log, route, session } = this.context;
    const text = `${count} of ${of} messages lack a value of the deduplication key: they go by their message id`;
    if (session.get("keyless")) log.debug(text, { route });
    else log.warn(text, { route });
    session.set("keyless", true);
  }
}

function isNack({ type }: Disposition): boolean {
  return type === "nack";
}
