import type { MessageBatch, OpenContext } from "@mqb/core/plugin";
import type { CommittedOffset } from "./consumer/group.ts";

/** Positions for a transaction. `taken` is called when they are committed. */
export interface TransactionOffsets {
  readonly offsets: readonly CommittedOffset[];
  taken(): void;
}

/** What a transaction takes over from the input of its route: positions, and in whose name they are committed. */
export interface TransactionSource {
  readonly groupId: string;
  readonly memberId: string;
  readonly generation: number;
  readonly clusterId: string | undefined;
  /**
   * The positions that a batch brings its partitions to, and those of other partitions that are settled without a transaction.
   * Throws where a partition is no longer this member's: what was made of the batch must not become visible.
   */
  positionsOf(batch: MessageBatch): TransactionOffsets;
  /** The positions that are settled and that no transaction has committed: of messages that were taken out on their way. */
  settledPositions(): TransactionOffsets;
}

/** The output of the route, through which all positions of its input are committed. */
export interface TransactionSink {
  /** Commits what is settled in a transaction of its own. Rejects with the coded error of what it met. */
  commitPositions(): Promise<void>;
}

/** Where the kafka input of a route and its transactional output find each other. The output opens first, and closes last. */
export interface TransactionLink {
  source: TransactionSource | undefined;
  sink: TransactionSink | undefined;
}

export function transactionLink(context: Pick<OpenContext, "local" | "route">): TransactionLink {
  return context.local(
    `kafka transactions of ${context.route}`,
    (): TransactionLink => ({ source: undefined, sink: undefined }),
  );
}
