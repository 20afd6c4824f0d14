import { ACCEPTED, type Clock, type EndpointStatus, type MessageBatch, type Publisher } from "@mqb/core/plugin";
import type { JsonPath } from "@mqb/json";
import { type Answered, isFailure, Outcomes } from "./answer.ts";
import type { AnswerCache } from "./cache.ts";
import { errors } from "./errors.ts";
import type { FoundFields } from "./fields.ts";
import type { Keys } from "./key.ts";
import type { Requests } from "./request.ts";
import { sendInTime } from "./send-in-time.ts";
import { Slots } from "./slots.ts";

export interface SourceSetup {
  readonly publisher: Publisher;
  /** Where it stands in the configuration, for errors. */
  readonly path: string;
  readonly requests: Requests;
  /** It answers a whole batch at once: it is not asked for one message after another. */
  readonly answersBatches: boolean;
  readonly concurrency: number;
  readonly timeoutMs: number | undefined;
  readonly cache: { readonly answers: AnswerCache; readonly keys: Keys } | null | undefined;
  /** As of `Outcomes`. */
  readonly onTrial: boolean;
  readonly clock: Clock;
}

/** Messages of a batch that are asked for. */
export interface Asked {
  readonly batch: MessageBatch;
  readonly positions: Uint32Array;
  /** What was found in the payloads of the batch, the fields of the key from `keysFrom` on. */
  readonly found: FoundFields;
  readonly keysFrom: number;
}

/** Answers that are on their way. */
interface Asking {
  readonly done: Promise<void>;
  /** There when `done` has resolved. */
  answers: readonly Answered[];
}

/** The endpoint that one lookup asks. */
export class Source {
  readonly setup: SourceSetup;
  private readonly slots: Slots;
  private readonly outcomes: Outcomes;
  /** By key: who asks for it, and which of its answers it will be. */
  private readonly onTheirWay = new Map<string, { readonly asking: Asking; readonly at: number }>();

  constructor(setup: SourceSetup) {
    this.setup = setup;
    this.slots = new Slots(setup.concurrency);
    this.outcomes = new Outcomes(setup.path, setup.onTrial);
  }

  /** The fields of payloads that answers are kept by. */
  get keyPaths(): readonly JsonPath[] {
    return this.setup.cache?.keys.paths ?? [];
  }

  /** One answer for each of these positions, in their order. Never rejects. */
  async ask(asked: Asked, signal: AbortSignal): Promise<readonly Answered[]> {
    const { cache } = this.setup;
    return cache ? this.askOnce(asked, cache, signal) : this.request(asked.batch, asked.positions, signal);
  }

  status(): EndpointStatus {
    const { publisher, path, cache } = this.setup;
    const status = publisher.status?.() ?? { healthy: true, target: path };
    if (!cache) return status;
    const { size, hits, misses } = cache.answers;
    return { ...status, details: { ...status.details, cache: { entries: size, hits, misses } } };
  }

  /** Asks only for keys that nobody has asked for lately, or asks for now. */
  private async askOnce(
    { batch, positions, found, keysFrom }: Asked,
    { answers: cache, keys }: NonNullable<SourceSetup["cache"]>,
    signal: AbortSignal,
  ): Promise<readonly Answered[]> {
    const { clock } = this.setup;
    const answers = new Array<Answered>(positions.length);
    const asked: number[] = [];
    const askedKeys: (string | undefined)[] = [];
    const joined: { readonly into: number; readonly asking: Asking; readonly at: number }[] = [];
    const { asking, finish } = startAsking();
    const now = clock.monotonic();
    for (let i = 0; i < positions.length; i++) {
      const key = keys.of(found, keysFrom, positions[i]!);
      const known = key === undefined ? undefined : cache.get(key, now);
      if (known) {
        answers[i] = known;
        continue;
      }
      const other = key === undefined ? undefined : this.onTheirWay.get(key);
      if (other) {
        joined.push({ into: i, ...other });
        continue;
      }
      if (key !== undefined) this.onTheirWay.set(key, { asking, at: asked.length });
      asked.push(i);
      askedKeys.push(key);
    }
    const got = await this.request(
      batch,
      Uint32Array.from(asked, (i) => positions[i]!),
      signal,
    );
    const then = clock.monotonic();
    got.forEach((answer, at) => {
      answers[asked[at]!] = answer;
      const key = askedKeys[at];
      if (key === undefined) return;
      this.onTheirWay.delete(key);
      if (!isFailure(answer)) cache.put(key, answer, then);
    });
    finish(got);
    for (const { into, asking: other, at } of joined) {
      if (other !== asking) await other.done;
      answers[into] = other.answers[at]!;
    }
    return answers;
  }

  private async request(
    batch: MessageBatch,
    positions: Uint32Array,
    signal: AbortSignal,
  ): Promise<readonly Answered[]> {
    if (positions.length === 0) return [];
    let requests: MessageBatch;
    try {
      requests = this.setup.requests.make(batch, positions);
    } catch (error) {
      return new Array<Answered>(positions.length).fill({ error });
    }
    return this.setup.answersBatches ? this.send(requests, signal) : this.sendEach(requests, signal);
  }

  /** One by one, so many at the same time as there are places. */
  private async sendEach(requests: MessageBatch, signal: AbortSignal): Promise<readonly Answered[]> {
    const answers = new Array<Answered>(requests.length);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < requests.length) {
        const at = next++;
        await this.slots.take();
        const [answer] = await this.send(requests.select(Uint32Array.of(at)), signal);
        this.slots.give();
        answers[at] = answer!;
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.setup.concurrency, requests.length) }, work));
    return answers;
  }

  private async send(requests: MessageBatch, signal: AbortSignal): Promise<readonly Answered[]> {
    const { publisher, path, clock, timeoutMs: ms } = this.setup;
    const sent = await sendInTime(publisher, requests, {
      clock,
      ms,
      signal,
      late: () => errors.TIMEOUT({ path, ms: ms! }),
      givenUp: () => errors.GIVEN_UP({ path }),
    });
    const { length } = requests;
    const all = (error: unknown): Answered[] => new Array<Answered>(length).fill({ error });
    if ("error" in sent) return all(sent.error);
    const { outcomes } = sent;
    if (!outcomes) return new Array<Answered>(length).fill(this.outcomes.read(ACCEPTED));
    if (outcomes.length !== length) return all(errors.OUTCOMES({ path, asked: length, got: outcomes.length }));
    return outcomes.map((outcome) => this.outcomes.read(outcome));
  }
}

function startAsking(): { readonly asking: Asking; readonly finish: (answers: readonly Answered[]) => void } {
  let resolve = (): void => {};
  const done = new Promise<void>((done) => {
    resolve = done;
  });
  const asking: Asking = { done, answers: [] };
  const finish = (answers: readonly Answered[]): void => {
    asking.answers = answers;
    resolve();
  };
  return { asking, finish };
}
