import { defineErrors, errorRow } from "@mqb/core/plugin";

interface OfTopic {
  readonly topic: string;
}

interface OfPartition extends OfTopic {
  readonly partition: number;
  readonly reason: string;
}

/** Every error of the kafka endpoint. `target` is host and port. */
export const kafkaErrors = defineErrors("MQB_KAFKA", {
  UNREACHABLE: errorRow<{ target: string; reason: string }>({
    kind: "connection",
    message: (p) => `no connection to Kafka at ${p.target}: ${p.reason}`,
    hint: "is it up, is the port the right one, and does it speak what is configured (TLS, SASL)?",
  }),
  LOST: errorRow<{ target: string; reason: string }>({
    kind: "connection",
    message: (p) => `the connection to Kafka at ${p.target} was lost: ${p.reason}`,
  }),
  REQUEST_FAILED: errorRow<{ target: string; request: string; reason: string }>({
    kind: "connection",
    message: (p) => `Kafka at ${p.target} did not answer ${p.request}: ${p.reason}`,
  }),
  CLOSED: errorRow<{ what: string }>({
    kind: "connection",
    message: (p) => `the kafka ${p.what} is closed`,
  }),
  NOT_LOGGED_IN: errorRow<{ target: string; mechanism: string; reason: string }>({
    kind: "config",
    message: (p) => `Kafka at ${p.target} refused the login by ${p.mechanism}: ${p.reason}`,
    hint: "check username and password, and the mechanism (`sasl.mechanism` in the options)",
  }),
  TOO_OLD: errorRow<{ target: string; request: string; needed: number }>({
    kind: "config",
    message: (p) => `Kafka at ${p.target} does not know ${p.request} in version ${p.needed}`,
    hint: "brokers from 0.11 on work; transactions from 2.5 on",
  }),
  NO_TOPIC: errorRow<OfTopic & { side: "input" | "output" | "reply" }>({
    kind: "config",
    message: (p) => `Kafka has no topic "${p.topic}"`,
    hint: (p) =>
      p.side === "output"
        ? "make it, or leave `create_topic` at true so that it is made"
        : "make it before the route starts, or check the name",
  }),
  INVALID_TOPIC: errorRow<OfTopic>({
    kind: "config",
    message: (p) => `"${p.topic}" is no name for a Kafka topic`,
    hint: "at most 249 letters, digits, dots, underscores and hyphens",
  }),
  NOT_CREATED: errorRow<OfTopic & { reason: string }>({
    kind: "config",
    message: (p) => `the topic "${p.topic}" could not be made: ${p.reason}`,
    hint: "make it by hand, or set `create_topic: false` when it is made elsewhere",
  }),
  NOT_ALLOWED: errorRow<{ what: string; reason: string }>({
    kind: "config",
    message: (p) => `Kafka does not allow ${p.what}: ${p.reason}`,
    hint: "give the user the right for it (ACLs of the cluster)",
  }),
  NO_COORDINATOR: errorRow<{ of: string; reason: string }>({
    kind: "connection",
    message: (p) => `Kafka names no coordinator of ${p.of}: ${p.reason}`,
  }),
  GROUP_FAILED: errorRow<{ group: string; reason: string; what: string }>({
    kind: "connection",
    message: (p) => `the consumer group "${p.group}" could not ${p.what}: ${p.reason}`,
  }),
  GROUP_REFUSED: errorRow<{ group: string; reason: string }>({
    kind: "config",
    message: (p) => `the consumer group "${p.group}" does not take this member: ${p.reason}`,
    hint: "members of a group agree on the assignment strategy (range, roundrobin) and on timeouts that the broker takes",
  }),
  NO_LEADER: errorRow<OfPartition>({
    kind: "connection",
    message: (p) => `partition ${p.partition} of "${p.topic}" has no leader that answers: ${p.reason}`,
  }),
  FETCH_FAILED: errorRow<OfPartition>({
    kind: "connection",
    message: (p) => `partition ${p.partition} of "${p.topic}" cannot be read: ${p.reason}`,
  }),
  OFFSET_GONE: errorRow<OfTopic & { partition: number; offset: number }>({
    kind: "permanent",
    message: (p) => `offset ${p.offset} of partition ${p.partition} of "${p.topic}" does not exist (any more)`,
    hint: 'with ["auto.offset.reset", "earliest"] in consumer_options the route goes on with the oldest message',
  }),
  NO_OFFSET: errorRow<OfTopic & { partition: number; group: string }>({
    kind: "config",
    message: (p) => `the group "${p.group}" has no offset for partition ${p.partition} of "${p.topic}"`,
    hint: '"auto.offset.reset" in consumer_options is "error": commit one first, or say earliest or latest',
  }),
  CORRUPT: errorRow<OfPartition & { offset: number }>({
    kind: "permanent",
    message: (p) =>
      `the record batch at offset ${p.offset} of partition ${p.partition} of "${p.topic}" cannot be read: ${p.reason}`,
    hint: "move the group behind it by hand, if the batch is damaged for good",
  }),
  TOO_LARGE: errorRow<OfTopic & { bytes: number }>({
    kind: "permanent",
    message: (p) => `the message of ${p.bytes} bytes is larger than the topic "${p.topic}" takes`,
    hint: "raise max.message.bytes of the topic",
  }),
  REFUSED: errorRow<OfPartition>({
    kind: "permanent",
    message: (p) => `partition ${p.partition} of "${p.topic}" refused the record: ${p.reason}`,
  }),
  CLOCK: errorRow<OfTopic>({
    kind: "retryable",
    message: (p) => `the topic "${p.topic}" takes no records of the time that this machine's clock shows`,
    hint: "set the clock of this machine or of the broker right: they may differ by what message.timestamp.after.max.ms and message.timestamp.before.max.ms of the topic allow, an hour into the future by default",
  }),
  NOT_STORED: errorRow<OfPartition>({
    kind: "retryable",
    message: (p) => `partition ${p.partition} of "${p.topic}" did not confirm the records: ${p.reason}`,
  }),
  GIVEN_UP: errorRow<OfTopic>({
    kind: "retryable",
    message: (p) => `nobody waits any more for "${p.topic}" to take the message; it may be there`,
  }),
  FENCED: errorRow<{ id: string }>({
    kind: "connection",
    message: (p) =>
      `another producer has taken over the transactional id "${p.id}", or the broker has ended its transaction`,
    hint: "give each running instance of the route its own transactional_id",
  }),
  TRANSACTION: errorRow<{ id: string; what: string; reason: string }>({
    kind: "retryable",
    message: (p) => `the transaction of "${p.id}" could not ${p.what}: ${p.reason}`,
  }),
  TRANSACTION_REFUSED: errorRow<{ id: string; what: string; reason: string }>({
    kind: "config",
    message: (p) => `the transaction of "${p.id}" could not ${p.what}: ${p.reason}`,
    hint: '"transaction.timeout.ms" in producer_options can be at most what the broker allows (transaction.max.timeout.ms)',
  }),
  TRANSACTION_LOST: errorRow<{ id: string; what: string; reason: string }>({
    kind: "connection",
    message: (p) => `the transaction of "${p.id}" could not ${p.what}: ${p.reason}`,
  }),
  NOT_OUR_INPUT: errorRow<{ id: string; reason: string }>({
    kind: "config",
    message: (p) => `transactional_id "${p.id}": ${p.reason}`,
    hint: "transactions work on routes from kafka with a group_id to kafka on the same cluster",
  }),
  NO_ENGINE: errorRow<object>({
    kind: "config",
    message: () => 'the engine "rdkafka" needs the package node-rdkafka, which is not installed',
    hint: "install it beside mqb with `npm install node-rdkafka@3.6.1` (it is built from its sources: g++, make, Python, OpenSSL's headers), or leave `engine` out",
  }),
  ENGINE_BROKEN: errorRow<{ reason: string }>({
    kind: "config",
    message: (p) => `the package node-rdkafka cannot be used: ${p.reason}`,
    hint: "install it again for this version of Node (npm rebuild node-rdkafka), or leave `engine` out",
  }),
  ENGINE_OPTION: errorRow<{ reason: string }>({
    kind: "config",
    message: (p) => `librdkafka does not take the options: ${p.reason}`,
    hint: "see its list of properties for the names and values that it knows",
  }),
  ENGINE_HEADER: errorRow<OfTopic & { name: string }>({
    kind: "permanent",
    message: (p) =>
      `the metadata entry "${p.name.replaceAll("\0", "\\0")}" holds a NUL character, which node-rdkafka would cut off; nothing was written to "${p.topic}"`,
    hint: "leave `engine` out: the other one writes all of it",
  }),
  ENGINE_UNREADABLE: errorRow<OfTopic & { reason: string }>({
    kind: "permanent",
    message: (p) => `librdkafka cannot go on in "${p.topic}": ${p.reason}`,
    hint: "a codec may be missing in its build, a position may be gone while auto.offset.reset is error; or leave `engine` out",
  }),
  NO_RESUME: errorRow<{ reason: string }>({
    kind: "config",
    message: (p) => `this source cannot resume: ${p.reason}`,
  }),
  BAD_URI: errorRow<{ reason: string }>({
    kind: "config",
    message: (p) => `not a kafka URI: ${p.reason}`,
    hint: "kafka://host:9092?topic=orders, or kafka://host1:9092,host2:9092/orders",
  }),
});
