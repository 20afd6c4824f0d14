import {
  type Clock,
  type Consumer,
  type Delivery,
  type EndpointStatus,
  failed,
  isMqbError,
  kindOf,
  Message,
  type MessageBatch,
  type Outcome,
  type Publisher,
  replied,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { Pauses } from "../pause.ts";

/** The metadata of an answer that holds the id of the message that was read. */
const READ_ID = "mqb.reader.message_id";
/** Pauses between reads of a source that has nothing for now. */
const PAUSE_MS = { first: 10, longest: 500 };

export interface ReaderSetup {
  readonly source: Consumer;
  /** The source is asked once: what is not there does not come. */
  readonly draining: boolean;
  readonly path: string;
  readonly clock: Clock;
}

/** Answers each message with one that is read from a source; what the message holds does not matter. */
export class ReaderPublisher implements Publisher {
  private readonly setup: ReaderSetup;
  private readonly pauses: Pauses;
  /** The source is read by one send at a time. */
  private turn: Promise<unknown> = Promise.resolve();
  /** What was read and is not given out: more than was asked for, or for one who no longer waited. */
  private held: { readonly delivery: Delivery; next: number } | undefined;
  private closed = false;

  constructor(setup: ReaderSetup) {
    this.setup = setup;
    this.pauses = new Pauses(setup.clock);
  }

  send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (batch.length === 0) return Promise.resolve(undefined);
    const answered = this.turn.then(() => this.answer(batch, signal));
    this.turn = answered.catch(() => {});
    return answered;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.pauses.end();
    await this.setup.source.close();
  }

  status(): EndpointStatus {
    return this.setup.source.status?.() ?? { healthy: true, target: "reader" };
  }

  private async answer(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[]> {
    this.held ??= await this.read(batch.length, signal);
    const outcomes = new Array<Outcome>(batch.length).fill(failed(errors.READER_EMPTY({ path: this.setup.path })));
    if (!this.held || signal.aborted) return outcomes;
    const { delivery, next } = this.held;
    const count = Math.min(delivery.batch.length - next, batch.length);
    for (let index = 0; index < count; index++) {
      outcomes[index] = replied(answerTo(batch.at(index), delivery.batch.at(next + index)));
    }
    this.held.next += count;
    // Taken from the source before the one who asked has it: a crash in between loses it.
    if (this.held.next === delivery.batch.length) {
      this.held = undefined;
      await delivery.commit();
    }
    return outcomes;
  }

  /** What the source gives with one read; undefined = nothing, until nobody waits any longer. */
  private async read(max: number, signal: AbortSignal): Promise<{ delivery: Delivery; next: number } | undefined> {
    const { source, draining, path } = this.setup;
    let pause = PAUSE_MS.first;
    while (!signal.aborted && !this.closed) {
      const delivery = await source.receive(max, signal).catch((error: unknown) => {
        throw asErrorOfSink(error, path);
      });
      if (delivery.batch.length > 0) return { delivery, next: 0 };
      await delivery.commit();
      if (delivery.emptied) continue;
      if (draining || !(await this.pauses.wait(pause, signal))) return undefined;
      pause = Math.min(pause * 2, PAUSE_MS.longest);
    }
    return undefined;
  }
}

/** Carries the id of the question: by that it finds the one who asked. */
function answerTo(question: Message, read: Message): Message {
  return new Message(read.payload, new Map([...read.metadata, [READ_ID, read.id]]), question.id);
}

/** An error means of a source what it may not mean of a sink: it ends or reopens the route, and drops no message. */
function asErrorOfSink(error: unknown, path: string): unknown {
  const kind = kindOf(error, "connection");
  if (kind === "permanent") return errors.READER_BROKEN({ path }, { cause: error });
  return isMqbError(error) && kind !== "retryable" ? error : errors.READER_CUT({ path }, { cause: error });
}
