import {
  ACK,
  type Clock,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type InputCapabilities,
  type Message,
  type MessageBatch,
  type MiddlewareContext,
  nack,
  reply,
} from "@mqb/core/plugin";
import { errors } from "./errors.ts";
import type { Holder } from "./holder.ts";
import type { KeyHash } from "./key/hash.ts";
import type { KeyReader } from "./key/reader.ts";
import type { Seen } from "./seen.ts";
import { Found } from "./table/table.ts";

/** How long a duplicate waits for what becomes of the first one; it goes back to its source then. */
const LONGEST_WAIT_MS = 5 * 60_000;

export interface DeduplicationOptions {
  readonly seen: Seen;
  readonly keys: KeyReader;
  /** That `keys` writes to. */
  readonly hash: KeyHash;
  readonly ttlMs: number;
  readonly replays: boolean;
  /** Gives the keys back to the others who use them. */
  readonly release: () => Promise<void>;
}

export type DeduplicationContext = Pick<
  MiddlewareContext<InputCapabilities>,
  "accounting" | "below" | "clock" | "log" | "route" | "session"
>;

/** A message whose key is held by somebody: it ends like the one that holds it. */
interface Waiting {
  readonly at: number;
  readonly holder: Holder;
  /** The entry of the key. */
  readonly number: number;
}

/** What was taken out of a batch. */
interface Sifted {
  readonly delivery: Delivery;
  readonly holder: Holder;
  /** Positions of the new messages; undefined = all. */
  readonly kept: Uint32Array | undefined;
  readonly waiting: readonly Waiting[];
  /** Positions of duplicates whose first one may have got a reply, with its entry. */
  readonly answered: readonly (readonly [at: number, number: number])[];
}

/**
 * Around a consumer: hands on the messages whose key was not seen. A key is held from the receipt of its message to the
 * commit, and remembered once the sink has accepted, before the source is told. Duplicates are acked; one whose first is
 * still in flight ends as that does.
 */
export class Deduplicator implements Consumer {
  readonly status?: () => EndpointStatus;
  private readonly inner: Consumer;
  private readonly o: DeduplicationOptions;
  private readonly context: DeduplicationContext;
  private readonly clock: Clock;
  private readonly holding = new Set<Holder>();
  private readonly closing = new AbortController();
  private words = new Uint32Array(0);
  private closed: Promise<void> | undefined;

  constructor(inner: Consumer, options: DeduplicationOptions, context: DeduplicationContext) {
    this.inner = inner;
    this.o = options;
    this.context = context;
    this.clock = context.clock;
    if (inner.status) this.status = () => inner.status!();
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const delivery = await this.inner.receive(max, signal);
    if (delivery.batch.length === 0) return delivery;
    const sifted = this.sift(delivery);
    const { batch } = delivery;
    const { kept } = sifted;
    const commit = (own?: readonly Disposition[]): Promise<void> => this.commit(sifted, own);
    const release = (): void => delivery.release?.();
    if (!kept) return { batch, commit, release };
    const rest = batch.select(kept);
    return kept.length > 0 ? { batch: rest, commit, release } : { batch: rest, commit, release, emptied: true };
  }

  close(): Promise<void> {
    this.closed ??= this.end();
    return this.closed;
  }

  private async end(): Promise<void> {
    this.closing.abort();
    for (const holder of this.holding) this.o.seen.release(holder);
    this.holding.clear();
    try {
      await this.inner.close();
    } finally {
      await this.o.release();
    }
  }

  private sift(delivery: Delivery): Sifted {
    const { batch } = delivery;
    const { seen, replays } = this.o;
    const now = this.clock.now();
    const holder = seen.begin(batch.length, now);
    this.holding.add(holder);
    const waiting: Waiting[] = [];
    const answered: [number, number][] = [];
    let kept: Uint32Array | undefined;
    const words = this.readKeys(batch);
    for (let at = 0; at < batch.length; at++) {
      const found = seen.take(holder, words, now, 4 * at);
      if (found === Found.nothing) {
        if (kept) kept[holder.count - 1] = at;
        continue;
      }
      kept ??= firstOf(at, batch.length);
      if (found === Found.inFlight) waiting.push({ at, holder: seen.inFlightWith, number: seen.foundNumber });
      else if (replays) answered.push([at, seen.foundNumber]);
    }
    const known = batch.length - holder.count - waiting.length;
    if (known > 0) this.context.accounting.settle("deduplicated", known);
    return { delivery, holder, kept: kept?.subarray(0, holder.count), waiting, answered };
  }

  /** The hashes of a batch, four words each; before any is looked up, so that the looks do not wait for each other. */
  private readKeys(batch: MessageBatch): Uint32Array {
    const { keys, hash } = this.o;
    if (this.words.length < 4 * batch.length) this.words = new Uint32Array(4 * batch.length);
    const { words } = this;
    let keyless = 0;
    keys.begin(batch);
    for (let at = 0; at < batch.length; at++) {
      if (!keys.read(at)) keyless++;
      for (let i = 0; i < 4; i++) words[4 * at + i] = hash.words[i]!;
    }
    if (keyless > 0) this.warnOfKeyless(keyless, batch);
    return words;
  }

  private async commit(sifted: Sifted, own: readonly Disposition[] | undefined): Promise<void> {
    const { delivery, holder, kept, waiting, answered } = sifted;
    if (this.closing.signal.aborted) throw errors.CLOSED({});
    const stored = this.o.seen.settle(holder, {
      failed: failedOf(own),
      answers: this.o.replays ? answersOf(own) : undefined,
      expiresAt: this.clock.now() + this.o.ttlMs,
    });
    if (stored) await stored;
    this.holding.delete(holder);
    // The source is closed: what it does not learn of comes again, and is known then.
    if (this.closing.signal.aborted) throw errors.CLOSED({});
    if (!kept) return await delivery.commit(own);
    if (waiting.length === 0 && answered.length === 0 && !own) return await delivery.commit();
    const dispositions = new Array<Disposition>(delivery.batch.length).fill(ACK);
    for (let i = 0; own && i < kept.length; i++) dispositions[kept[i]!] = own[i]!;
    for (const [at, number] of answered) await this.replay(dispositions, at, number);
    if (waiting.length > 0) await this.decide(waiting, dispositions, delivery.batch);
    if (this.closing.signal.aborted) throw errors.CLOSED({});
    await delivery.commit(dispositions.every((one) => one === ACK) ? undefined : dispositions);
  }

  /** Waits for those that hold the keys; a duplicate of what was not accepted goes back to its source. */
  private async decide(waiting: readonly Waiting[], dispositions: Disposition[], batch: MessageBatch): Promise<void> {
    await this.settled(waiting);
    let deduplicated = 0;
    const returned: number[] = [];
    for (const { at, holder, number } of waiting) {
      if (holder.isSettled && holder.isAccepted(number)) {
        deduplicated++;
        if (this.o.replays) await this.replay(dispositions, at, number);
      } else {
        dispositions[at] = nack(errors.FIRST_FAILED({}));
        returned.push(at);
      }
    }
    if (!this.closing.signal.aborted) this.count(deduplicated, returned, batch);
  }

  /** `returned`: positions of duplicates whose first one was not accepted. Where the source takes nothing back they are lost. */
  private count(deduplicated: number, returned: readonly number[], batch: MessageBatch): void {
    const { accounting, below } = this.context;
    accounting.settle("deduplicated", deduplicated);
    const takesBack = below.takesBack ?? below.acknowledges;
    if (takesBack) accounting.settle("nacked", returned.length);
    else if (returned.length > 0) accounting.drop(returned.length, batch.id(returned[0]!), errors.FIRST_FAILED({}));
  }

  /** Resolves when every holder is settled, when the time is over, or at the close. */
  private settled(waiting: readonly Waiting[]): Promise<void> {
    const open = new Set(waiting.map((one) => one.holder).filter((holder) => !holder.isSettled));
    if (open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const { signal } = this.closing;
      const forget: (() => void)[] = [];
      const done = (): void => {
        for (const undo of forget) undo();
        resolve();
      };
      for (const holder of open) {
        const wake = (): void => {
          open.delete(holder);
          if (open.size === 0) done();
        };
        forget.push(holder.onSettled(wake));
      }
      forget.push(this.clock.timer(LONGEST_WAIT_MS, done));
      signal.addEventListener("abort", done, { once: true });
      forget.push(() => signal.removeEventListener("abort", done));
    });
  }

  private async replay(dispositions: Disposition[], at: number, number: number): Promise<void> {
    const answer: Message | undefined = await this.o.seen.answer(number);
    if (answer) dispositions[at] = reply(answer);
  }

  /** Once in the life of the route, then for those who look closely. */
  private warnOfKeyless(count: number, batch: MessageBatch): void {
    const { log, route, session } = this.context;
    const text = `${count} of ${batch.length} messages lack a value of the deduplication key: they go by their message id`;
    if (session.get("keyless")) log.debug(text, { route });
    else log.warn(text, { route });
    session.set("keyless", true);
  }
}

/** Positions `0 .. count` of a batch, with room for the rest. */
function firstOf(count: number, length: number): Uint32Array {
  const positions = new Uint32Array(length);
  for (let i = 0; i < count; i++) positions[i] = i;
  return positions;
}

function failedOf(own: readonly Disposition[] | undefined): Uint8Array | undefined {
  if (!own?.some((one) => one.type === "nack")) return undefined;
  return Uint8Array.from(own, (one) => (one.type === "nack" ? 1 : 0));
}

function answersOf(own: readonly Disposition[] | undefined): ReadonlyMap<number, Message> | undefined {
  const answers = new Map<number, Message>();
  own?.forEach((one, at) => {
    if (one.type === "reply") answers.set(at, one.message);
  });
  return answers.size > 0 ? answers : undefined;
}
