import type { ConsumerConfig, ConsumerInfo, JetStreamApi } from "../client/jetstream-api.ts";
import { errors } from "../errors.ts";
import { durableName } from "../names.ts";
import { DEFAULTS, type NatsConfig } from "../schema.ts";

/** A consumer of our own stays so long when nothing is asked of it: routes wait between reconnects. */
const IDLE_NANOS = 5 * 60_000 * 1_000_000;

export interface Place {
  readonly stream: string;
  readonly subject: string;
}

/**
 * The durable consumer, made as the original makes it when it is missing. One that is there keeps its settings, which somebody
 * may have tuned, and its position; what the configuration says in so many words must agree with it.
 */
export async function openDurable(
  api: JetStreamApi,
  config: NatsConfig,
  { stream, subject }: Place,
): Promise<ConsumerInfo> {
  const consumer = durableName(stream, subject);
  const found = await api.consumer(stream, consumer);
  if (!found) return api.putConsumer(stream, { durable_name: consumer, ...newConsumer(config, subject) });
  const { config: has } = found;
  const differs = (field: string, is: unknown, wanted: unknown): Error =>
    errors.CONSUMER({ stream, consumer, field, found: String(is), wanted: String(wanted) });
  if (has.deliver_subject) throw differs("deliver_subject", has.deliver_subject, "none");
  if (has.ack_policy !== "explicit") throw differs("ack_policy", has.ack_policy, "explicit");
  const filter = has.filter_subject ?? has.filter_subjects?.join(", ") ?? ">";
  if (filter !== subject) throw differs("filter_subject", filter, subject);
  if (config.deliver_policy != null && has.deliver_policy !== config.deliver_policy) {
    throw differs("deliver_policy", has.deliver_policy, config.deliver_policy);
  }
  const wanted = config.prefetch_count;
  if (wanted == null || wanted === has.max_ack_pending) return found;
  return api.putConsumer(stream, { ...has, durable_name: consumer, max_ack_pending: wanted });
}

/** How far a consumer of our own has come, kept over reconnects. */
export interface Progress {
  name?: string;
  /** Where a new one begins; undefined = as the configuration says. */
  next?: number;
  /** The highest place in the stream that was given out. */
  highest: number;
  /** Places up to there that were not acknowledged: given back, or under way when a connection ended. */
  readonly owed: Set<number>;
}

export function noProgress(): Progress {
  return { highest: 0, owed: new Set() };
}

/** Says where a consumer has to begin that loses nothing of it. */
export function placeNext(progress: Progress): void {
  if (progress.highest === 0) return;
  let next = progress.highest + 1;
  for (const place of progress.owed) next = Math.min(next, place);
  progress.next = next;
}

/** A consumer that is gone after a while of silence: the one from before the reconnect, or a new one that goes on there. */
export async function openEphemeral(
  api: JetStreamApi,
  config: NatsConfig,
  { stream, subject }: Place,
  progress: Progress,
): Promise<ConsumerInfo> {
  const found = progress.name === undefined ? undefined : await api.consumer(stream, progress.name);
  if (found) return found;
  const from = progress.next;
  const place = from === undefined ? {} : { deliver_policy: "by_start_sequence", opt_start_seq: from };
  const made = await api.putConsumer(stream, {
    ...newConsumer(config, subject),
    ...place,
    inactive_threshold: IDLE_NANOS,
  });
  progress.name = made.name;
  // Messages that come between now and the first reconnect are not to be missed.
  if (from === undefined && config.deliver_policy === "new") progress.next = made.delivered.stream_seq + 1;
  return made;
}

function newConsumer(config: NatsConfig, subject: string): ConsumerConfig {
  return {
    deliver_policy: config.deliver_policy ?? "all",
    ack_policy: "explicit",
    filter_subject: subject,
    replay_policy: "instant",
    max_ack_pending: config.prefetch_count ?? DEFAULTS.prefetchCount,
  };
}
