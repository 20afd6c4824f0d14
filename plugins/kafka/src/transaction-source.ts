import type { MessageBatch, OpenContext } from "@mqb/core/plugin";
import type { CommittedOffset } from "./consumer/group.ts";

/** What a transaction takes over from the input of its route: positions, and in whose name they are committed. */
export interface TransactionSource {
  readonly groupId: string;
  readonly memberId: string;
  readonly generation: number;
  readonly clusterId: string | undefined;
  /**
   * The positions that a batch brings its partitions to. Throws where a partition is no longer this member's: what was made of
   * the batch must not become visible. `taken` is called when they are committed.
   */
  positionsOf(batch: MessageBatch): { readonly offsets: readonly CommittedOffset[]; taken(): void };
}

/** Where the kafka input of a route and its transactional output find each other. */
export interface TransactionLink {
  source: TransactionSource | undefined;
}

export function transactionLink(context: Pick<OpenContext, "local" | "route">): TransactionLink {
  return context.local(`kafka transactions of ${context.route}`, (): TransactionLink => ({ source: undefined }));
}
