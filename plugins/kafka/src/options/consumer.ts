import { CONNECTION_OPTIONS, type ConnectionOptions, connectionDefaults } from "./connection.ts";
import {
  choice,
  fixed,
  flag,
  number,
  type OptionList,
  type OptionProblem,
  type OptionTable,
  readOptions,
} from "./option.ts";

export const STRATEGIES = ["range", "roundrobin"] as const;
export type Strategy = (typeof STRATEGIES)[number];

/** How records are read. */
export interface ConsumerOptions extends ConnectionOptions {
  reset?: "earliest" | "latest" | "error";
  readsCommitted: boolean;
  sessionTimeoutMs: number;
  heartbeatMs: number;
  /** How long a rebalance waits for its members. */
  rebalanceTimeoutMs: number;
  strategies: readonly Strategy[];
  minBytes: number;
  maxWaitMs: number;
  maxBytes: number;
  maxPartitionBytes: number;
  /** Bytes that are read ahead. */
  queuedBytes: number;
  checksums: boolean;
}

const partitionBytes = number<ConsumerOptions>(1, 1_000_000_000, (into, value) => {
  into.maxPartitionBytes = value;
});
const RESETS = {
  earliest: "earliest",
  smallest: "earliest",
  beginning: "earliest",
  latest: "latest",
  largest: "latest",
  end: "latest",
  error: "error",
} as const;

const CONSUMER_OPTIONS: OptionTable<ConsumerOptions> = {
  "auto.offset.reset": choice<ConsumerOptions, "earliest" | "latest" | "error">(RESETS, (into, value) => {
    into.reset = value;
  }),
  "isolation.level": choice({ read_committed: true, read_uncommitted: false }, (into, value) => {
    into.readsCommitted = value;
  }),
  "session.timeout.ms": number(1, 3_600_000, (into, value) => {
    into.sessionTimeoutMs = value;
  }),
  "heartbeat.interval.ms": number(1, 3_600_000, (into, value) => {
    into.heartbeatMs = value;
  }),
  "max.poll.interval.ms": number(1, 86_400_000, (into, value) => {
    into.rebalanceTimeoutMs = value;
  }),
  "partition.assignment.strategy": {
    take(value, into) {
      const words = value.split(",").map((word) => word.trim());
      const known = words.filter((word): word is Strategy => STRATEGIES.some((one) => one === word));
      if (known.length < words.length)
        return `${STRATEGIES.join(", ")} are known; partitions that stay are kept by each of them`;
      into.strategies = known;
      return undefined;
    },
  },
  "fetch.min.bytes": number(1, 100_000_000, (into, value) => {
    into.minBytes = value;
  }),
  "fetch.wait.max.ms": number(0, 10_000, (into, value) => {
    into.maxWaitMs = value;
  }),
  "fetch.max.bytes": number(1, 2_147_483_135, (into, value) => {
    into.maxBytes = value;
  }),
  "max.partition.fetch.bytes": partitionBytes,
  "fetch.message.max.bytes": partitionBytes,
  "queued.max.messages.kbytes": number(1, 2_097_151, (into, value) => {
    into.queuedBytes = value * 1024;
  }),
  "queued.min.messages": { idle: "as much is read ahead as `queued.max.messages.kbytes` allows" },
  "check.crcs": flag((into, value) => {
    into.checksums = value;
  }),
  "enable.auto.commit": fixed("false", "offsets are committed when the output has taken the messages"),
  "enable.auto.offset.store": fixed("false", "offsets are stored when the output has taken the messages"),
  "enable.partition.eof": fixed("true", "a drain needs it"),
  "auto.commit.interval.ms": { idle: "offsets are committed as soon as the output has taken the messages" },
  "group.protocol": fixed("classic", "the newer protocol is not spoken"),
  "group.id": { refused: "use the field `group_id`" },
  "group.instance.id": { refused: "members are not static: a route leaves its group when it stops" },
  "client.rack": { refused: "messages are always read from the leader of a partition" },
};

export function consumerOptions(list: OptionList | null | undefined): {
  readonly options: ConsumerOptions;
  readonly problems: readonly OptionProblem[];
} {
  const options: ConsumerOptions = {
    ...connectionDefaults(),
    readsCommitted: true,
    sessionTimeoutMs: 45_000,
    heartbeatMs: 3000,
    rebalanceTimeoutMs: 300_000,
    strategies: STRATEGIES,
    minBytes: 1,
    maxWaitMs: 500,
    maxBytes: 16 * 1024 * 1024,
    maxPartitionBytes: 1024 * 1024,
    queuedBytes: 16 * 1024 * 1024,
    checksums: false,
  };
  const problems = [...readOptions(list, [CONSUMER_OPTIONS, CONNECTION_OPTIONS], options)];
  if (options.heartbeatMs >= options.sessionTimeoutMs) {
    const message = `"heartbeat.interval.ms" (${options.heartbeatMs}) must be less than "session.timeout.ms" (${options.sessionTimeoutMs})`;
    problems.push({ index: (list ?? []).length - 1, level: "error", message });
  }
  return { options, problems };
}
