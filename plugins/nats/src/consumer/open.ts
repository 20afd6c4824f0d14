import type { Consumer, OpenContext, Shared } from "@mqb/core/plugin";
import type { Connection } from "../client/connection.ts";
import { JetStreamApi } from "../client/jetstream-api.ts";
import { acquire } from "../client/share.ts";
import { ensureStream } from "../client/stream.ts";
import { errors } from "../errors.ts";
import { queueGroup } from "../names.ts";
import { DEFAULTS, type NatsConfig } from "../schema.ts";
import { WithheldMetadata } from "../wire/withheld.ts";
import { CoreConsumer } from "./core-consumer.ts";
import { noProgress, openDurable, openEphemeral, type Place } from "./durable.ts";
import { PullConsumer } from "./pull-consumer.ts";
import { ReceivedQueue } from "./queue.ts";
import { Replier } from "./replying.ts";

export async function openConsumer(config: NatsConfig, context: OpenContext): Promise<Consumer> {
  const { subject, stream } = config;
  if (subject == null) throw errors.NO_SUBJECT({});
  if (stream == null) throw errors.NO_STREAM_NAME({ core: config.no_jetstream === true });
  const held = await acquire(config, context);
  try {
    return config.no_jetstream
      ? await openCore(held, config, { stream, subject }, context)
      : await openStreamed(held, config, { stream, subject }, context);
  } catch (error) {
    await held.release();
    throw error;
  }
}

function openCore(held: Shared<Connection>, config: NatsConfig, place: Place, context: OpenContext): Promise<Consumer> {
  const settings = {
    subject: place.subject,
    queueGroup: config.subscriber_mode ? undefined : queueGroup(place.stream),
    reading: { streamed: false, stamps: stamps(config, context) },
    waiting: config.prefetch_count ?? undefined,
    replier: replierOf(held, context),
    queue: remembered(context, "received", () => new ReceivedQueue()),
  };
  return CoreConsumer.open(held, settings, context);
}

async function openStreamed(
  held: Shared<Connection>,
  config: NatsConfig,
  place: Place,
  context: OpenContext,
): Promise<Consumer> {
  const api = new JetStreamApi(held.value);
  await ensureStream(api, config, { name: place.stream, subject: place.subject });
  const progress = config.subscriber_mode ? remembered(context, "progress", noProgress) : undefined;
  const info = progress ? await openEphemeral(api, config, place, progress) : await openDurable(api, config, place);
  const settings = {
    ...place,
    info,
    inbox: (await import("nats")).createInbox(),
    reading: { streamed: true, stamps: stamps(config, context) },
    prefetch:
      info.config.max_ack_pending && info.config.max_ack_pending > 0
        ? info.config.max_ack_pending
        : DEFAULTS.prefetchCount,
    replier: replierOf(held, context),
    leftOver: remembered(context, "left over", () => new Map<string, number>()),
    ...(progress && { progress }),
  };
  return new PullConsumer(held, api, settings, context);
}

function stamps(config: NatsConfig, context: OpenContext): boolean {
  return config.source_metadata === true || context.positions;
}

function replierOf(held: Shared<Connection>, context: OpenContext): Replier {
  return new Replier(held.value, context, new WithheldMetadata(context).note);
}

/** Kept over the reconnects of the route. */
function remembered<T>({ session }: OpenContext, what: string, make: () => T): T {
  const key = `nats ${what}`;
  const before = session.get(key) as T | undefined;
  const value = before ?? make();
  if (before === undefined) session.set(key, value);
  return value;
}
