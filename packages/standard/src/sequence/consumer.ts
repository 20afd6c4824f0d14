import {
  batchOf,
  type Clock,
  type Consumer,
  type Delivery,
  type Disposition,
  describeError,
  type EndpointStatus,
  kindOf,
  type Logger,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { Pauses } from "../pause.ts";

/** How long the batches of a phase may take until somebody is told that the next phase waits for them. */
const HANDOVER_MS = 30_000;
/** How long the close of a phase is waited for. */
const CLOSE_MS = 2_000;

export interface SequenceSetup {
  readonly phases: number;
  /** Opens a phase; all but the last one to be read to its end. */
  readonly open: (phase: number) => Promise<Consumer>;
  /** Keeps that a phase was reached: everything of those before it was acknowledged. */
  readonly reached: (phase: number) => Promise<void>;
  /** Counts the batches of which something went back to where it came from, also those that a middleware of a phase gave back. */
  readonly returns: () => number;
  readonly route: string;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Reads several inputs one after another. The next one is opened when one is empty and every batch of it has been
 * acknowledged; when one was not, the same phase is read again.
 */
export class SequenceConsumer implements Consumer {
  private readonly setup: SequenceSetup;
  private readonly pauses: Pauses;
  private phase: number;
  private current: Consumer | undefined;
  /** Deliveries of the current phase that are not settled yet. */
  private unsettled = 0;
  /** Something of the current phase was not acknowledged since it was last found empty. */
  private isIncomplete = false;
  private returnsBefore: number;
  private wake: (() => void) | undefined;
  private closed = false;

  constructor(setup: SequenceSetup, phase: number, first: Consumer) {
    this.setup = setup;
    this.phase = phase;
    this.current = first;
    this.returnsBefore = setup.returns();
    this.pauses = new Pauses(setup.clock);
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    for (;;) {
      const delivery = await this.read(max, signal);
      if (delivery && (delivery.batch.length > 0 || delivery.emptied)) return this.tracked(delivery);
      if (delivery && (this.isLast || signal.aborted)) return delivery;
      // Its commit is the youngest of the phase, so that it waits for the others.
      if (!(await this.allSettled(signal))) return delivery ?? NOTHING;
      await delivery?.commit();
      if (!this.takeIncomplete()) await this.advance();
      if (signal.aborted) return NOTHING;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.pauses.end();
    this.wake?.();
    await this.current?.close();
  }

  status(): EndpointStatus {
    const { phases, path } = this.setup;
    const details = { phase: this.phase + 1, phases };
    const inner = this.current?.status?.() ?? { healthy: true, target: path };
    return { ...inner, details: { ...inner.details, ...details } };
  }

  private get isLast(): boolean {
    return this.phase === this.setup.phases - 1;
  }

  /** Undefined = a phase that is not the last one has finished for good. */
  private async read(max: number, signal: AbortSignal): Promise<Delivery | undefined> {
    this.current ??= await this.openCurrent();
    try {
      return await this.current.receive(max, signal);
    } catch (error) {
      if (this.isLast || kindOf(error, "connection") !== "end") throw error;
      return undefined;
    }
  }

  private async openCurrent(): Promise<Consumer> {
    const opened = await this.setup.open(this.phase);
    if (!this.closed) return opened;
    await opened.close();
    throw errors.SEQUENCE_CLOSED({ path: this.setup.path });
  }

  private async advance(): Promise<void> {
    const { route, log, path, phases } = this.setup;
    await this.setup.reached(this.phase + 1);
    const done = this.current;
    this.current = undefined;
    this.phase += 1;
    // Everything of it is acknowledged: one that does not close holds nobody up.
    const over = new AbortController();
    const failed = (error: unknown): void => log.warn(`${path}: ${describeError(error)}`, { route });
    void done
      ?.close()
      .catch(failed)
      .finally(() => over.abort());
    if (done) await this.pauses.wait(CLOSE_MS, over.signal);
    log.info(`${path}: phase ${this.phase} of ${phases} is read, phase ${this.phase + 1} begins`, { route });
  }

  private takeIncomplete(): boolean {
    const returns = this.setup.returns();
    const isIncomplete = this.isIncomplete || returns !== this.returnsBefore;
    this.isIncomplete = false;
    this.returnsBefore = returns;
    return isIncomplete;
  }

  private tracked(delivery: Delivery): Delivery {
    this.unsettled += 1;
    const { release } = delivery;
    return {
      batch: delivery.batch,
      ...(delivery.emptied ? { emptied: delivery.emptied } : {}),
      commit: async (dispositions) => {
        try {
          if (dispositions?.some(isNack)) this.isIncomplete = true;
          await delivery.commit(dispositions);
        } catch (error) {
          this.isIncomplete = true;
          throw error;
        } finally {
          this.unsettled -= 1;
          this.wake?.();
        }
      },
      ...(release ? { release: () => release.call(delivery) } : {}),
    };
  }

  /** Waits for the batches of this phase; `false` when it is told to stop first. */
  private async allSettled(signal: AbortSignal): Promise<boolean> {
    const { route, log, path } = this.setup;
    while (this.unsettled > 0) {
      const settled = new AbortController();
      this.wake = () => settled.abort();
      const isOver = await this.pauses.wait(HANDOVER_MS, AbortSignal.any([signal, settled.signal]));
      this.wake = undefined;
      if (signal.aborted || this.closed) return false;
      const waits = `phase ${this.phase + 2} waits for ${this.unsettled} batches of the one before it`;
      if (isOver) log.warn(`${path}: ${waits}, which are not acknowledged after ${HANDOVER_MS / 1000} s`, { route });
    }
    return true;
  }
}

const NOTHING: Delivery = { batch: batchOf([]), commit: async () => {} };

function isNack({ type }: Disposition): boolean {
  return type === "nack";
}
