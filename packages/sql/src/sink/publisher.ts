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
import type { JsonGroup, RowGroup, RowMaker } from "./rows.ts";

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
    for (const group of groups) await this.writeGroup(group, faults, signal);
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

  private async writeGroup(
    group: RowGroup | JsonGroup,
    faults: Map<number, unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    if (!("json" in group)) return this.write(group, 0, group.rows.length, faults, signal);
    const { insert, positions, json, asRows } = group;
    try {
      if (signal.aborted) throw signal.reason;
      await insert.executeJson!(json, signal);
      return;
    } catch (error) {
      if (kindOf(error, "retryable") !== "permanent") {
        this.problem = (error as Error).message;
        for (const position of positions) faults.set(position, error);
        return;
      }
    }
    const { groups, failed } = asRows();
    for (const [position, error] of failed) faults.set(position, error);
    for (const rows of groups) await this.writeGroup(rows, faults, signal);
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
