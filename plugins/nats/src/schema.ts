import { tlsSchema } from "@mqb/tls";
import * as z from "zod";

const MAX_TIMER_MS = 2 ** 31 - 1;

export const DEFAULTS = {
  requestTimeoutMs: 30_000,
  streamMaxMessages: 1_000_000,
  streamMaxBytes: 1024 ** 3,
  prefetchCount: 10_000,
} as const;

const text = z.string().min(1).nullish();
const flag = z.boolean().nullish();

function count(fallback: number, min = 1, max = Number.MAX_SAFE_INTEGER) {
  const error = `expected an integer from ${min}${max === Number.MAX_SAFE_INTEGER ? "" : ` to ${max}`}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).nullish().meta({ default: fallback });
}

/** Adds what a field promises; keeps the default that it declares. */
function described<S extends z.ZodType>(schema: S, meta: Readonly<Record<string, unknown>>): S {
  return schema.meta({ ...schema.meta(), ...meta });
}

const input = { "x-mqb-side": "input" };
const output = { "x-mqb-side": "output" };

export const natsSchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .meta({
        description:
          "The server; several servers of one cluster separated by commas. `tls://` turns TLS on. A user and password, or a token, may stand before the host.",
        examples: ["nats://localhost:4222", "tls://n1:4222,tls://n2:4222"],
      }),
    subject: text.meta({
      description: "The subject. On an input `*` stands for one word and `>` for all that follow. [the route's name]",
      examples: ["orders.new", "orders.>"],
    }),
    stream: text.meta({
      description:
        "The JetStream stream. It is made if it is missing, with the subjects `<stream>.>`, or with the subject itself where that has wildcards. An input needs it; with `no_jetstream` it names the queue group. An output without it sends to whichever stream holds the subject.",
      examples: ["orders"],
    }),
    username: text.meta({ description: "User name." }),
    password: z.string().nullish().meta({ secret: true, description: "Password." }),
    token: text.meta({ secret: true, description: "Token; wins over user name and password." }),
    nkey_seed: text.meta({ secret: true, description: "Seed of a user's nkey: the server is shown a signature." }),
    creds_file: text.meta({
      "x-mqb-file": true,
      description: "Credentials file with the JWT and the seed of a user.",
      examples: ["/etc/mqb/bridge.creds"],
    }),
    tls: tlsSchema.nullish().meta({ description: "TLS; also on with a `tls://` url." }),
    request_reply: flag.meta({
      ...output,
      default: false,
      description: "Each message is a request of core NATS, and what answers becomes the response.",
    }),
    request_timeout_ms: described(count(DEFAULTS.requestTimeoutMs, 1, MAX_TIMER_MS), {
      ...output,
      description: "With `request_reply`: longest wait for an answer.",
    }),
    delayed_ack: flag.meta({
      ...output,
      default: false,
      description: "Do not wait until the stream has stored a message. What it refuses later is logged and lost.",
    }),
    deduplicate: flag.meta({
      ...output,
      default: false,
      description:
        "Send the id as `Nats-Msg-Id`, unless the metadata has one: the stream stores a message once within its duplicate window (2 minutes in a stream that is made here).",
    }),
    no_jetstream: flag.meta({
      default: false,
      description: "Core NATS: messages reach whoever listens at that moment, and nothing is stored.",
    }),
    subscriber_mode: flag.meta({
      ...input,
      default: false,
      description:
        "Every reader gets every message: a consumer of its own that is gone after the route, instead of the durable one that all readers share; with `no_jetstream` a subscription without a queue group.",
    }),
    source_metadata: flag.meta({
      ...input,
      default: false,
      description:
        "Give each message its origin as `mqb.src.nats_subject` and, from a stream, `mqb.src.nats_stream_sequence`.",
    }),
    stream_max_messages: described(count(DEFAULTS.streamMaxMessages), {
      description: "A stream that is made here: most messages; the oldest go first.",
    }),
    stream_max_bytes: described(count(DEFAULTS.streamMaxBytes), {
      description: "A stream that is made here: most bytes; the oldest messages go first.",
    }),
    deliver_policy: z
      .enum(["all", "last", "new", "last_per_subject"])
      .nullish()
      .meta({
        ...input,
        default: "all",
        description:
          "Where a consumer that is new begins: at the first message, the last one, the next one, or the last one of each subject.",
      }),
    prefetch_count: described(count(DEFAULTS.prefetchCount), {
      ...input,
      description:
        "Most messages that are given out and not acknowledged (max_ack_pending of the consumer). With `no_jetstream`: most messages that wait for the route; what comes beyond them is dropped and counted.",
    }),
    shared: flag.meta({
      default: true,
      description: "Endpoints with the same connection settings share one connection; `false` = an own one.",
    }),
  })
  .meta({ "x-mqb-source": { named: ["url", "subject"] } });

/** A configuration as written. */
export type NatsOptions = z.input<typeof natsSchema>;
/** A checked configuration. */
export type NatsConfig = z.output<typeof natsSchema>;
