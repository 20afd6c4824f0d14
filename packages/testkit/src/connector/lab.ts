import { AssertionError, equal, ok } from "node:assert/strict";
import { tmpdir } from "node:os";
import {
  batchOf,
  type Clock,
  type Consumer,
  describeError,
  type Message,
  type Outcome,
  type Publisher,
  type Side,
  systemClock,
} from "@mqb/core/plugin";
import { checkConfig } from "../fakes/check-config.ts";
import { type FakeContext, fakeContext } from "../fakes/context.ts";
import { type RecordingLogger, recordingLogger } from "../fakes/logger.ts";
import { messages } from "../fakes/messages.ts";
import { FakeScope } from "../fakes/scope.ts";
import { within } from "../wait/within.ts";
import { Reader, type ReaderOptions } from "./reader.ts";
import { RouteLab } from "./route-lab.ts";
import { secretsOf } from "./secrets.ts";
import type { ConnectorSubject, ConnectorUnderTest, Place } from "./types.ts";

const PATIENCE_MS = 10_000;
const SEED_BATCH = 500;
const FIRST_MARK = 900_000;

export interface OpenOptions {
  /** Instead of the place's own, e.g. through a proxy. */
  readonly config?: unknown;
  readonly draining?: boolean;
  /** As after a restart of the process: nothing is remembered of earlier openings [false]. */
  readonly newSession?: boolean;
}

/** The set-up of one test of a connector: a fresh place in the system; everything opened is closed afterwards. */
export class ConnectorLab implements AsyncDisposable {
  readonly tested: ConnectorUnderTest;
  readonly subject: ConnectorSubject;
  readonly place: Place;
  readonly scope: FakeScope = new FakeScope();
  readonly log: RecordingLogger = recordingLogger();
  readonly patienceMs: number;
  readonly routes: RouteLab;
  private readonly opened: { close(): Promise<void> }[] = [];
  private readonly sessions: Record<Side, Map<string, unknown>> = { input: new Map(), output: new Map() };
  private readonly left: Map<string, unknown>[] = [];
  private marks = FIRST_MARK;

  private constructor(tested: ConnectorUnderTest, subject: ConnectorSubject, place: Place) {
    this.tested = tested;
    this.subject = subject;
    this.place = place;
    this.patienceMs = tested.fixture.patienceMs ?? PATIENCE_MS;
    this.routes = new RouteLab(tested, place, this.scope, this.log, this.sessions);
  }

  static async open(tested: ConnectorUnderTest, subject: ConnectorSubject): Promise<ConnectorLab> {
    return new ConnectorLab(tested, subject, await tested.fixture.fresh());
  }

  /** The same set-up in another place. */
  in(place: Place): ConnectorLab {
    return new ConnectorLab(this.tested, this.subject, place);
  }

  message(n: number): Message {
    return this.tested.fixture.message?.(n) ?? messages(1, { from: n, metadata: true })[0]!;
  }

  messages(count: number, from = 0): Message[] {
    return Array.from({ length: count }, (_, i) => this.message(from + i));
  }

  /** The number of a message that `message` has made. */
  number(message: Message): number {
    const { identify } = this.tested.fixture;
    return identify ? identify(message) : Number(/^message (\d+)/.exec(message.text())?.[1] ?? Number.NaN);
  }

  async consumer(options: OpenOptions = {}): Promise<Consumer> {
    const { definition } = this.subject;
    const config = checkConfig(definition.schema, options.config ?? this.place.input, "input");
    const opening = async () => definition.input!.open(config, this.context("input", options));
    const consumer = await this.soon(opening(), "opening the source");
    this.opened.push(consumer);
    return consumer;
  }

  async publisher(options: OpenOptions = {}): Promise<Publisher> {
    const { definition } = this.subject;
    const config = checkConfig(definition.schema, options.config ?? this.place.output, "output");
    const opening = async () => definition.output!.open(config, this.context("output", options));
    const publisher = await this.soon(opening(), "opening the sink");
    this.opened.push(publisher);
    return publisher;
  }

  /** A reader of the source; it opens it when it first reads. */
  reader(options: ReaderOptions = {}): Reader {
    return new Reader(this, options);
  }

  /** Puts messages where the source finds them, and waits until the system has them. */
  async seed(sent: readonly Message[]): Promise<void> {
    if (this.place.seed) return this.soon(this.place.seed(sent, this.context("output")), "seeding");
    if (!this.subject.output) {
      throw new TypeError(
        `the test of "${this.tested.endpoint}" has no output to send through: give the place a \`seed\``,
      );
    }
    const publisher = await this.publisher();
    for (let at = 0; at < sent.length; at += SEED_BATCH) {
      const part = sent.slice(at, at + SEED_BATCH);
      const outcomes = await this.send(publisher, part);
      outcomes.forEach((outcome, i) => {
        if (outcome.type === "accepted" || outcome.type === "replied") return;
        const why = outcome.type === "failed" ? describeError(outcome.error) : "it was taken out";
        throw new AssertionError({ message: `the sink did not take message ${this.number(part[i]!)}: ${why}` });
      });
    }
    await publisher.flush?.();
    await this.soon(publisher.close(), "closing the sink");
  }

  /** Messages for a reader to find. A live source is opened before they are sent; `sent` then ends with the commits. */
  async begin(sent: readonly Message[], options: ReaderOptions = {}): Promise<{ reader: Reader; sent: Promise<void> }> {
    const reader = this.reader(options);
    if (!this.tested.fixture.live) {
      await this.seed(sent);
      return { reader, sent: Promise.resolve() };
    }
    await reader.open();
    const sending = this.seed(sent);
    sending.catch(() => {});
    return { reader, sent: sending };
  }

  /** Sends through a publisher. One outcome per message, `undefined` spelled out. */
  async send(publisher: Publisher, sent: readonly Message[], signal?: AbortSignal): Promise<readonly Outcome[]> {
    const sending = publisher.send(batchOf(sent), signal ?? new AbortController().signal);
    const outcomes = await this.soon(sending, `sending ${sent.length} messages`);
    if (outcomes) equal(outcomes.length, sent.length, "there must be one outcome per message");
    return outcomes ?? sent.map(() => ({ type: "accepted" as const }));
  }

  /** What is left in the source, by number: everything that comes before a message that is put there now. */
  async rest(options: ReaderOptions = {}): Promise<number[]> {
    const mark = this.marks++;
    await this.seed([this.message(mark)]);
    const reader = this.reader({ ...options, reopens: true });
    const numbers: number[] = [];
    await reader.readUntil((message) => {
      const n = this.number(message);
      if (n !== mark && n < FIRST_MARK) numbers.push(n);
      return n === mark;
    });
    await reader.close();
    return numbers;
  }

  /** The messages that have reached the place through the sink, at least `count` of them. */
  async arrived(count: number): Promise<readonly Message[]> {
    if (this.place.read) return this.soon(this.place.read(this.context("input")), "reading what the sink has written");
    if (!this.subject.input) {
      throw new TypeError(
        `the test of "${this.tested.endpoint}" has no input to read through: give the place a \`read\``,
      );
    }
    const reader = this.reader();
    const taken = await reader.take(count);
    await reader.commit(taken);
    await reader.close();
    return taken.messages;
  }

  /** The numbers of everything that the sink has put into the place, duplicates included, in ascending order. */
  async stored(atLeast: number): Promise<number[]> {
    const messages = this.place.read && (await this.arrived(atLeast));
    const numbers = messages?.map((message) => this.number(message)) ?? (await this.rest());
    return numbers.sort((a, b) => a - b);
  }

  /** Waits for a promise, as long as the fixture grants. */
  soon<T>(promise: PromiseLike<T>, what: string): Promise<T> {
    return within(promise, what, this.patienceMs);
  }

  context(side: Side, options: OpenOptions = {}): FakeContext<Clock> {
    const { plugin, plugins = [] } = this.tested;
    const session = options.newSession ? new Map<string, unknown>() : this.sessions[side];
    if (options.newSession) this.left.push(session);
    return fakeContext<Clock>({
      side,
      path: side,
      log: this.log,
      clock: systemClock,
      scope: this.scope,
      plugins: [plugin, ...plugins],
      baseDir: tmpdir(),
      draining: options.draining ?? false,
      session,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.routes.stop();
    for (const end of this.opened) await this.soon(end.close(), "closing after the test");
    for (const session of [...Object.values(this.sessions), ...this.left])
      await this.soon(disposed(session), "disposing");
    await this.place.cleanup?.();
    const secrets = (["input", "output"] as const).flatMap((side) =>
      this.place[side] === undefined ? [] : secretsOf(this.subject.definition.schema, this.place[side]),
    );
    const text = this.log.text();
    for (const secret of secrets) ok(!text.includes(secret), `the log holds a secret: ${secret}`);
  }
}

/** Lets go of what a session holds, also in those of nested endpoints, as a route does at its end. */
async function disposed(session: ReadonlyMap<string, unknown>): Promise<void> {
  for (const value of session.values()) {
    if (value instanceof Map) await disposed(value);
    else await (value as Partial<AsyncDisposable> | undefined)?.[Symbol.asyncDispose]?.();
  }
}
