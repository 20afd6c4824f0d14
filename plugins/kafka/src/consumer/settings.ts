import type { ConsumerOptions } from "../options/consumer.ts";

export interface ConsumerSettings {
  readonly topics: readonly string[];
  readonly groupId: string;
  /** The group is made up for this input: its position is kept in the session, not by the group. */
  readonly isSubscriber: boolean;
  readonly stamps: boolean;
  readonly options: ConsumerOptions;
  readonly drainJoinMs: number;
}

/** Where reading begins in a partition that nobody has read. */
export function resetOf({ options, isSubscriber }: ConsumerSettings): "earliest" | "latest" | "error" {
  return options.reset ?? (isSubscriber ? "latest" : "earliest");
}
