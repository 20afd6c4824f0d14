/** What the codes of problems mean that the kafka endpoint finds in a configuration; for the reference. */
export const problemCodes = {
  MQB_KAFKA_OPTION: "an entry of `producer_options` or `consumer_options` that cannot be honoured, or changes nothing",
  MQB_KAFKA_ENGINE: "a setting that the chosen `engine` cannot honour",
  MQB_KAFKA_ONE_TOPIC: "an output with a list of topics",
  MQB_KAFKA_LOGIN: "a login that lacks a part, or that nothing would use",
  MQB_KAFKA_TRANSACTION_UNFIT: "a `transactional_id` beside a setting that rules transactions out",
};
