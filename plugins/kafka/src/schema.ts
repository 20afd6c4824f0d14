import { tlsSchema } from "@mqb/tls";
import * as z from "zod";
import { parseBrokers } from "./client/settings.ts";

const text = z.string().min(1).nullish();
const optionList = z
  .array(
    z.tuple([
      z.string().min(1),
      z.union([z.string(), z.number(), z.boolean()]).transform((value): string => `${value}`),
    ]),
  )
  .nullish();
/** Names that topics can have. */
export const TOPIC = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/;
const topicName = z
  .string()
  .regex(TOPIC, "is no name for a Kafka topic: at most 249 letters, digits, dots, underscores and hyphens");

const brokerList = z
  .string()
  .refine((value) => parseBrokers(value) !== undefined, "is no list of brokers: `host:port,host:port`")
  .nullish();

export const DEFAULT_PARTITIONS = 6;

export const kafkaSchema = z
  .strictObject({
    url: brokerList.meta({
      description:
        "Brokers to begin with, separated by commas; they name the others. Needed, unless `brokers` is given.",
      examples: ["k1:9092,k2:9092"],
    }),
    brokers: brokerList.meta({ description: "Another spelling of `url`." }),
    topic: z
      .union([topicName, z.array(topicName).min(1)])
      .nullish()
      .meta({ description: "The topic [name of the route]. An input may name several.", examples: ["orders"] }),
    username: text.meta({
      description: "SASL login. With it connections use TLS, unless `security.protocol` says otherwise.",
    }),
    password: z.string().nullish().meta({ secret: true, description: "Password of the login." }),
    tls: tlsSchema.nullish().meta({ description: "TLS, and the client's certificate." }),
    group_id: text.meta({
      "x-mqb-side": "input",
      description:
        "Consumer group that shares the partitions and keeps the position. Without it the input is a subscriber: it gets what comes from now on.",
      examples: ["billing"],
    }),
    source_metadata: z.boolean().nullish().meta({
      "x-mqb-side": "input",
      default: false,
      description: "Give each message its position as `mqb.src.kafka_topic`, `_partition`, `_offset`.",
    }),
    delayed_ack: z.boolean().nullish().meta({
      "x-mqb-side": "output",
      default: false,
      description: "Do not wait for the brokers. Faster, and what they refuse is lost.",
    }),
    producer_options: optionList.meta({
      "x-mqb-side": "output",
      description: "Settings in the names of librdkafka, as pairs.",
      examples: [[["compression.type", "zstd"]]],
    }),
    consumer_options: optionList.meta({
      "x-mqb-side": "input",
      description: "Settings in the names of librdkafka, as pairs.",
      examples: [[["auto.offset.reset", "latest"]]],
    }),
    shared: z.boolean().nullish().meta({
      "x-mqb-side": "output",
      default: true,
      description: "Outputs with the same connection settings use one producer.",
    }),
    partitions: z.int().min(1).max(100_000).nullish().meta({
      "x-mqb-side": "output",
      default: DEFAULT_PARTITIONS,
      description: "Partitions of the topic when the output makes it.",
    }),
    create_topic: z.boolean().nullish().meta({
      "x-mqb-side": "output",
      default: true,
      description: "Make the topic when it does not exist.",
    }),
    partition_key: text.meta({
      "x-mqb-side": "output",
      description: "Name of the metadata entry whose value is the record's key [the message's id].",
      examples: ["customer_id"],
    }),
    transactional_id: text.meta({
      "x-mqb-side": "output",
      description:
        "Write records and the offsets of the kafka input in one transaction, so that each message takes effect once. Different for each running instance.",
      examples: ["orders-to-billing-1"],
    }),
    engine: z.enum(["kafkajs", "rdkafka"]).nullish().meta({
      default: "kafkajs",
      advanced: true,
      description:
        "The client library. `rdkafka` is librdkafka, by the package `node-rdkafka`, which is to be installed beside mqb.",
    }),
  })
  .meta({ "x-mqb-source": { named: ["url", "topic"], apart: ["group_id"] } })
  .transform(({ url, brokers, ...rest }, context) => {
    const refuse = (at: string, message: string): never => {
      context.addIssue({ code: "custom", path: [at], message });
      return z.NEVER;
    };
    if (url != null && brokers != null)
      return refuse("brokers", "`brokers` is another spelling of `url`: give one of them");
    const written = url ?? brokers;
    if (written == null) return refuse("url", "a kafka endpoint needs a `url`");
    return { ...rest, url: written };
  });

export type KafkaConfig = z.output<typeof kafkaSchema>;
/** A kafka endpoint as written. */
export type KafkaOptions = z.input<typeof kafkaSchema>;

export function topicsOf(config: KafkaConfig, route: string): readonly string[] {
  const { topic } = config;
  return typeof topic === "string" ? [topic] : (topic ?? [route]);
}
