import { batchOf, type Consumer, type Delivery, type EndpointStatus } from "@mqb/core/plugin";

/** Reads rows of tables. An empty batch stands for the end, or for a stop. */
export interface TablesConsumer extends Consumer {
  /** Every row was handed out and acked. */
  readonly isDone: boolean;
}

export interface Phases {
  /** Every row of the tables was acked. */
  finished(): Promise<void>;
  /** What is read behind them; nothing = that was all. */
  next?(): Promise<Consumer>;
  /** Thrown at the end, where there is no next. */
  end?(): Error;
  release(): Promise<void>;
}

const DONE: Promise<void> = Promise.resolve();
const NOTHING: Delivery = { batch: batchOf([]), commit: () => DONE };

/** Reads the tables, and behind them what comes then: once every row is acked. */
export class PhasedConsumer implements Consumer {
  private current: Consumer;
  private readonly tables: TablesConsumer;
  private readonly phases: Phases;
  private isFinished = false;
  private closed = false;
  private settled: (() => void) | undefined;

  constructor(tables: TablesConsumer, phases: Phases) {
    this.tables = this.current = tables;
    this.phases = phases;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    while (this.current === this.tables && !this.isFinished) {
      const delivery = await this.tables.receive(max, signal);
      if (delivery.batch.length > 0) return this.tracked(delivery);
      if (signal.aborted) return delivery;
      if (!this.tables.isDone) await this.somethingSettled(signal);
      if (signal.aborted) return NOTHING;
      if (this.tables.isDone) await this.goOn();
    }
    if (this.current !== this.tables) return this.current.receive(max, signal);
    const end = this.phases.end?.();
    if (end) throw end;
    return NOTHING;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.settled?.();
    await this.tables.close();
    if (this.current !== this.tables) await this.current.close();
    else await this.phases.release();
  }

  status(): EndpointStatus {
    return this.current.status!();
  }

  private async goOn(): Promise<void> {
    await this.phases.finished();
    this.isFinished = true;
    if (!this.phases.next || this.closed) return;
    const next = await this.phases.next();
    this.current = next;
    if (this.closed) await next.close();
    await this.tables.close();
  }

  private tracked(delivery: Delivery): Delivery {
    return {
      batch: delivery.batch,
      release: () => delivery.release?.(),
      commit: async (dispositions) => {
        try {
          await delivery.commit(dispositions);
        } finally {
          this.settled?.();
        }
      },
    };
  }

  private somethingSettled(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.settled = undefined;
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.settled = wake;
      signal.addEventListener("abort", wake, { once: true });
    });
  }
}
