import type { MessageBatch } from "../message/batch.ts";
import type { Disposition, Outcome } from "./disposition.ts";

/** A received batch and the one call that settles it. */
export interface Delivery {
  readonly batch: MessageBatch;
  /**
   * Messages were received, and a middleware took all of them out of the batch: not "the source is empty". The route
   * commits such a batch in its turn and reads on, also in a drain. `held`: what they were is kept, and not settled
   * with the source by this commit, so that the source has not come forward yet. Set by middlewares only.
   */
  readonly emptied?: boolean | "held";
  /**
   * Settles the batch: `undefined` = every message acked, else one disposition per message, by position. The route
   * calls it exactly once, also for an empty batch, in the order of receipt where the consumer `commitsInOrder`. Younger
   * deliveries that were in flight are committed behind a nack too: a cumulative position must stay before it. It
   * does not call it for what was cut off by a stop, and where commits are in order not behind one that failed: that is
   * the source's again when the consumer is closed.
   * Resolves when the source has taken it. Throws when it could not be taken: the route reconnects and the source
   * delivers again.
   */
  commit(dispositions?: readonly Disposition[]): Promise<void>;
  /**
   * Says that nobody looks at the batch any more, so that the memory of its payloads may be used again. The route calls it
   * behind a `commit` of acks only, and only where no handler or nested endpoint has seen the batch, and the
   * sink and every middleware `keepsNothing`. Elsewhere the memory is garbage once nobody refers to it.
   */
  release?(): void;
}

/** The opened source side of an endpoint. */
export interface Consumer {
  /**
   * Waits for the first message, then takes what is there without waiting, at most `max`. An empty batch means
   * "nothing for now", and for a draining route the end. Never called again before it has settled. When `signal` aborts
   * it stops waiting and resolves with an empty batch or rejects with the signal's reason; messages taken already are
   * delivered or returned to the source, never lost. After a second the route no longer waits for it and closes.
   * Throws `connection` errors to be reopened, `permanent` or `config` ones to end the route as failed, `end` when the
   * source is finished for good. Any other error counts as `connection`.
   */
  receive(max: number, signal: AbortSignal): Promise<Delivery>;
  /** Idempotent. Wakes a blocked `receive`; messages that are not acked return to the source. */
  close(): Promise<void>;
  status?(): EndpointStatus;
}

/** The opened sink side of an endpoint. */
export interface Publisher {
  /**
   * Resolves when the sink has accepted. `undefined` = every message accepted, none replied; else one outcome per
   * message, by position. Throws only when it cannot say which message failed. May be called again before an earlier
   * call has settled, unless the endpoint asks for ordered publishing. When `signal` aborts, the route has given up
   * waiting (grace period over): stop soon, report what is not accepted as failed.
   */
  send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined>;
  /**
   * Called where a batch waits for its turn, with ordered publishing: a middleware computes now what it makes of it, while the
   * sink writes an older one. A `send` of the same batch follows, unless the route ends before. What fails is thrown there.
   */
  willSend?(batch: MessageBatch): void;
  /**
   * Writes what is held back; then everything accepted so far is as durable as the configuration asks for. Called before
   * close at every orderly end, where a failure fails the route; and, while sends are pending, when nothing more comes
   * (the source is drained, the route stops), so that none waits for company.
   */
  flush?(): Promise<void>;
  /** Idempotent. */
  close(): Promise<void>;
  status?(): EndpointStatus;
}

/** The state of one side of a route, for status pages and `mqb status`. Holds no secret: the target is redacted. */
export interface EndpointStatus {
  readonly healthy: boolean;
  /** Topic, table, path, URL without credentials. */
  readonly target: string;
  /** Lag, backlog or depth in messages, when known. */
  readonly pending?: number;
  readonly capacity?: number;
  /** How far a source that knows its size has read, in one unit for both (bytes, rows). For progress; asked for rarely. */
  readonly progress?: { readonly position: number; readonly total: number };
  readonly error?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What a source can do, declared by the endpoint; runtime, conformance suite, guarantee and docs read it. */
export interface InputCapabilities {
  /** An unacked message comes back after a crash or a nack. */
  readonly acknowledges: boolean;
  /** The setting with which it would, as users write it: `enable_nack: true`. */
  readonly acknowledgesWith?: string;
  /** A nacked message comes again while the process lives, also where it would not after a crash. Default: as `acknowledges`. */
  readonly takesBack?: boolean;
  /** `commit` must be called in the order of receipt (cumulative positions). */
  readonly commitsInOrder: boolean;
  /** A `reply` disposition reaches the one who sent the message. */
  readonly replies: boolean;
  /** The same message has the same id when it is delivered or read again. */
  readonly stableIds: boolean;
  /** Can stamp messages with positions (`mqb.src.*`) that repeat when the source is read again. */
  readonly replayablePosition: boolean;
  /** Can stamp positions, if perhaps not such ones [as `replayablePosition`]. */
  readonly positions?: boolean;
  /**
   * Knows its end: when draining, `receive` resolves empty exactly when everything was read. Of other sources the
   * route takes a second of silence for the end, and aborts their `receive` then; one that has not settled a second later
   * is not waited for.
   */
  readonly bounded: boolean;
  /** Opening and closing without a `receive` changes nothing at the source: `mqb doctor` may try it. */
  readonly opensHarmlessly?: boolean;
  /** The setting with which nothing is kept for it while no route runs, so that it cannot be a later phase of a `sequence`. */
  readonly forgetsWith?: string;
}

/** What a sink can do. */
export interface OutputCapabilities {
  /** `send` resolves only after the sink has really accepted. */
  readonly acknowledges: boolean;
  /** Outcomes can be `replied`. */
  readonly replies: boolean;
  /** The route must call `send` one at a time, in the order of receipt. */
  readonly orderedPublish: boolean;
  /** Sending a message with the same identity twice has the effect of sending it once. */
  readonly idempotent: boolean;
  /**
   * The setting that makes the sink name what it writes by source positions, for messages. The input of its route is
   * opened with `OpenContext.positions` then; one that has no positions is refused.
   */
  readonly needsPositions?: string;
  /** The batch size that suits the sink, when the user gives none. */
  readonly defaultBatchSize?: number;
  /** Answers a batch with one request, or without any: whoever asks it does not send it one message after another. */
  readonly answersBatches?: boolean;
  /** When `send` has resolved, nothing of the sink refers to the batch, a message of it or their bytes. */
  readonly keepsNothing?: boolean;
}
