import { CODECS, type CompressionName } from "../wire/codecs.ts";
import { PARTITIONERS, type PartitionerName } from "../wire/partitioner.ts";
import { CONNECTION_OPTIONS, type ConnectionOptions, connectionDefaults } from "./connection.ts";
import { choice, flag, number, type OptionList, type OptionProblem, type OptionTable, readOptions } from "./option.ts";

/** How records are written. */
export interface ProducerOptions extends ConnectionOptions {
  acks: -1 | 0 | 1;
  idempotent: boolean;
  compression: CompressionName;
  partitioner: PartitionerName;
  /** Records of one record batch. */
  maxBatchRecords: number;
  /** Bytes of one record batch, before compression. A single larger record is tried all the same. */
  maxBatchBytes: number;
  /** How long a broker may wait for its replicas. */
  ackTimeoutMs: number;
  /** How long a partition without a leader is waited for; written as 0, without limit. */
  deliveryTimeoutMs: number;
  /** How long a request without an answer is repeated: a few seconds, or as `deliveryTimeoutMs` where that is written. */
  repeatTimeoutMs: number;
  retryPauseMs: number;
  maxInFlight: number;
  /** Bytes that `delayed_ack` may keep unconfirmed. */
  queuedBytes: number;
  transactionTimeoutMs: number;
}

interface Draft extends ProducerOptions {
  idempotenceSaid?: boolean;
}

const compression = choice<Draft, CompressionName>(
  Object.fromEntries(Object.keys(CODECS).map((name) => [name, name as CompressionName])),
  (into, value) => {
    into.compression = value;
  },
);
const acks = choice<Draft, -1 | 0 | 1>({ all: -1, "-1": -1, "0": 0, "1": 1 }, (into, value) => {
  into.acks = value;
});
const deliveryTimeout = number<Draft>(0, 2_147_483_647, (into, value) => {
  into.deliveryTimeoutMs = value === 0 ? Number.POSITIVE_INFINITY : value;
  into.repeatTimeoutMs = into.deliveryTimeoutMs;
});
const inFlight = number<Draft>(1, 1_000_000, (into, value) => {
  into.maxInFlight = value;
});
const lingers = { idle: "a batch of the route is sent at once; `batch_size` says how large it may be" };
const retries = { refused: "a moved partition is tried until `delivery.timeout.ms`, all else is up to `retry`" };

const PRODUCER_OPTIONS: OptionTable<Draft> = {
  acks,
  "request.required.acks": acks,
  "enable.idempotence": flag((into, value) => {
    into.idempotent = value;
    into.idempotenceSaid = true;
  }),
  "compression.type": compression,
  "compression.codec": compression,
  "compression.level": { refused: "each codec has one level here" },
  partitioner: choice(
    Object.fromEntries(PARTITIONERS.map((name) => [name, name])) as Record<string, PartitionerName>,
    (into, value) => {
      into.partitioner = value;
    },
  ),
  "batch.num.messages": number(1, 1_000_000, (into, value) => {
    into.maxBatchRecords = value;
  }),
  "batch.size": number(1, 2_147_483_647, (into, value) => {
    into.maxBatchBytes = value;
  }),
  "message.max.bytes": number(1000, 1_000_000_000, (into, value) => {
    into.maxBatchBytes = value;
  }),
  "request.timeout.ms": number(1, 900_000, (into, value) => {
    into.ackTimeoutMs = value;
    into.requestTimeoutMs = Math.max(into.requestTimeoutMs, value);
  }),
  "delivery.timeout.ms": deliveryTimeout,
  "message.timeout.ms": deliveryTimeout,
  "retry.backoff.ms": number(1, 300_000, (into, value) => {
    into.retryPauseMs = value;
  }),
  "max.in.flight": inFlight,
  "max.in.flight.requests.per.connection": inFlight,
  "queue.buffering.max.kbytes": number(1, 2_147_483_647, (into, value) => {
    into.queuedBytes = value * 1024;
  }),
  "queue.buffering.max.messages": { refused: "use queue.buffering.max.kbytes, which bounds memory" },
  "transaction.timeout.ms": number(1000, 2_147_483_647, (into, value) => {
    into.transactionTimeoutMs = value;
  }),
  "transactional.id": { refused: "use the field `transactional_id`" },
  "linger.ms": lingers,
  "queue.buffering.max.ms": lingers,
  "sticky.partitioning.linger.ms": { idle: "every record has a key" },
  retries,
  "message.send.max.retries": retries,
  "delivery.report.only.error": { refused: "reports are not events here; see `delayed_ack`" },
};

/** Of idempotent producers a broker remembers that many requests. */
const IDEMPOTENT_IN_FLIGHT = 5;

export function producerOptions(list: OptionList | null | undefined): {
  readonly options: ProducerOptions;
  readonly problems: readonly OptionProblem[];
} {
  const draft: Draft = {
    ...connectionDefaults(),
    acks: -1,
    idempotent: true,
    compression: "lz4",
    partitioner: "consistent_random",
    maxBatchRecords: 10_000,
    maxBatchBytes: 1_000_000,
    ackTimeoutMs: 30_000,
    deliveryTimeoutMs: 30_000,
    repeatTimeoutMs: 5000,
    retryPauseMs: 100,
    maxInFlight: IDEMPOTENT_IN_FLIGHT,
    queuedBytes: 32 * 1024 * 1024,
    transactionTimeoutMs: 60_000,
  };
  const problems = [...readOptions<Draft>(list, [PRODUCER_OPTIONS, CONNECTION_OPTIONS], draft)];
  const conflict = (message: string): unknown =>
    problems.push({ index: (list ?? []).length - 1, level: "error", message });
  // As in librdkafka: weaker acks switch it off, unless both were said.
  if (draft.acks !== -1) {
    if (draft.idempotent && draft.idempotenceSaid) conflict('"enable.idempotence" needs "acks" to be all');
    draft.idempotent = false;
  }
  if (draft.idempotent && draft.maxInFlight > IDEMPOTENT_IN_FLIGHT)
    conflict(`"max.in.flight" can be at most ${IDEMPOTENT_IN_FLIGHT} while "enable.idempotence" is on`);
  return { options: draft, problems };
}
