import {
  ACCEPTED,
  type EndpointStatus,
  failed,
  kindOf,
  type MessageBatch,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { RowGroup, RowMaker } from "./rows.ts";

export interface PublisherSetup {
  readonly rows: RowMaker;
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly release: () => Promise<void>;
}

/**
 * Writes each batch by as few statements as it can. Where a statement is refused its rows are written in halves, down to
 * the rows that are refused by themselves: the others are kept.
 */
export class SqlPublisher implements Publisher {
  private readonly setup: PublisherSetup;
  private closing: Promise<void> | undefined;
  private problem: string | undefined;

  constructor(setup: PublisherSetup) {
    this.setup = setup;
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    if (this.closing) throw errors.CLOSED({ target: this.setup.target });
    if (batch.length === 0) return undefined;
    const { groups, failed: unfit } = await this.setup.rows.make(batch);
    const faults = new Map<number, unknown>(unfit);
    for (const group of groups) await this.write(group, 0, group.rows.length, faults, signal);
    if (faults.size === 0) {
      this.problem = undefined;
      return undefined;
    }
    return Array.from({ length: batch.length }, (_, i) => (faults.has(i) ? failed(faults.get(i)) : ACCEPTED));
  }

  close(): Promise<void> {
    return (this.closing ??= this.setup.release());
  }

  status(): EndpointStatus {
    const { target, details } = this.setup;
    const healthy = this.problem === undefined;
    return { healthy, target, details, ...(this.problem === undefined ? {} : { error: this.problem }) };
  }

  private async write(
    group: RowGroup,
    from: number,
    to: number,
    faults: Map<number, unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    if (from === to) return;
    const { insert, positions, rows } = group;
    try {
      if (signal.aborted) throw signal.reason;
      await insert.execute(from === 0 && to === rows.length ? rows : rows.slice(from, to), signal);
    } catch (error) {
      const isOfRow = kindOf(error, "retryable") === "permanent";
      if (!isOfRow) this.problem = (error as Error).message;
      if (!isOfRow || to - from === 1) {
        for (let i = from; i < to; i++) faults.set(positions[i]!, error);
        return;
      }
      const middle = (from + to) >> 1;
      await this.write(group, from, middle, faults, signal);
      await this.write(group, middle, to, faults, signal);
    }
  }
}
