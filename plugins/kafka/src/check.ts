import type { CheckContext, Finding } from "@mqb/core/plugin";
import { checkTls } from "@mqb/tls";
import { securityOf } from "./client/open.ts";
import { consumerOptions } from "./options/consumer.ts";
import type { OptionProblem } from "./options/option.ts";
import { producerOptions } from "./options/producer.ts";
import { rdkafkaProblems } from "./options/rdkafka.ts";
import { type KafkaConfig, topicsOf } from "./schema.ts";

const OPTION = "MQB_KAFKA_OPTION";
const ENGINE = "MQB_KAFKA_ENGINE";
const ONE_TOPIC = "MQB_KAFKA_ONE_TOPIC";
const LOGIN = "MQB_KAFKA_LOGIN";
const TRANSACTION = "MQB_KAFKA_TRANSACTION_UNFIT";

/** Middlewares after which a batch holds fewer messages than it came with. A transaction commits no position past one that is missing. */
const TAKES_OUT: ReadonlySet<string> = new Set(["aggregate", "deduplication", "filter", "pack", "weak_join"]);

/** What is wrong with a configuration of the right shape, and what in it does nothing. */
export function checkKafka(config: KafkaConfig, context: CheckContext): Finding[] {
  const { side, route } = context;
  const found: Finding[] = [];
  const error = (path: Finding["path"], code: string, message: string, hint?: string): void => {
    found.push({ level: "error", path, code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const producer = producerOptions(config.producer_options);
  const consumer = consumerOptions(config.consumer_options);
  const isRdkafka = config.engine === "rdkafka";
  const [produced, consumed] = isRdkafka
    ? [rdkafkaProblems(config.producer_options), rdkafkaProblems(config.consumer_options)]
    : [producer.problems, consumer.problems];
  found.push(...optionFindings("producer_options", produced));
  found.push(...optionFindings("consumer_options", consumed));
  found.push(...checkTls(config.tls ?? undefined, ["tls"], "client"));

  if (isRdkafka && config.transactional_id != null) {
    const hint = "leave `engine` out: kafkajs writes transactions";
    error(["transactional_id"], ENGINE, 'the engine "rdkafka" writes no transactions here', hint);
  }
  const [, ...more] = topicsOf(config, route);
  if (side === "output" && more.length > 0) error(["topic"], ONE_TOPIC, "an output writes to one topic");
  const options = side === "input" ? consumer.options : producer.options;
  const { sasl } = securityOf(config, options);
  if (sasl && config.username == null) error(["username"], LOGIN, "the login by SASL needs a `username`");
  if (config.username != null && config.password == null) error(["password"], LOGIN, "`username` needs a `password`");
  if (config.username == null && config.password != null) error(["username"], LOGIN, "`password` needs a `username`");
  if (config.username != null && !sasl) {
    const message = "`security.protocol` has no login, so that `username` would not be used";
    error(["username"], LOGIN, message, 'say "sasl_ssl" or "sasl_plaintext"');
  }
  if (side === "output" && config.transactional_id != null) {
    const refuse = (message: string, hint?: string): void => error(["transactional_id"], TRANSACTION, message, hint);
    if (config.delayed_ack) refuse("a transaction waits for the brokers: `delayed_ack` cannot be set with it");
    if (!producer.options.idempotent) refuse("a transaction needs `acks` all and idempotence");
    for (const name of context.middlewares) {
      if (!TAKES_OUT.has(name)) continue;
      const message = `"${name}" takes messages out of their batch, and what stands behind one could be written twice`;
      refuse(message, "let a route of its own do that, before or behind this one");
    }
  }
  return found;
}

function optionFindings(field: string, problems: readonly OptionProblem[]): Finding[] {
  return problems.map(({ index, level, message }) => ({
    level,
    path: [field, Math.max(0, index)],
    code: OPTION,
    message,
  }));
}
