import { failed, Message, type OpenContext, type Publisher, replied, type Shared } from "@mqb/core/plugin";
import type { Connection } from "../client/connection.ts";
import { JetStreamApi } from "../client/jetstream-api.ts";
import { acquire } from "../client/share.ts";
import { streamForOutput } from "../client/stream.ts";
import { errors } from "../errors.ts";
import { DEFAULTS, type NatsConfig } from "../schema.ts";
import { statusOf } from "../wire/frame.ts";
import { readHeaders } from "../wire/headers.ts";
import { WithheldMetadata } from "../wire/withheld.ts";
import { AnsweringPublisher } from "./answering-publisher.ts";
import { Exchange, type ExchangeSettings } from "./exchange.ts";
import { FlushingPublisher } from "./flushing-publisher.ts";
import { judgeAck } from "./publish-ack.ts";

/** How long a stream may be silent before messages count as not stored. */
const ACK_MS = 5000;

export async function openPublisher(config: NatsConfig, context: OpenContext): Promise<Publisher> {
  const { subject } = config;
  if (subject == null) throw errors.NO_SUBJECT({});
  const held = await acquire(config, context);
  try {
    if (config.request_reply) return await requesting(held, subject, config, context);
    const deduplicate = config.deduplicate === true && config.no_jetstream !== true;
    if (config.no_jetstream) return new FlushingPublisher(held, { subject, deduplicate }, context);
    await streamForOutput(new JetStreamApi(held.value), config, subject, context.log);
    const inbox = await newInbox();
    if (config.delayed_ack) return new FlushingPublisher(held, { subject, deduplicate, inbox }, context);
    return storing(held, subject, deduplicate, inbox, context);
  } catch (error) {
    await held.release();
    throw error;
  }
}

function storing(
  held: Shared<Connection>,
  subject: string,
  deduplicate: boolean,
  inbox: string,
  context: OpenContext,
): Publisher {
  const { target } = held.value;
  return answering(held, context, {
    subject,
    deduplicate,
    inbox,
    timeoutMs: ACK_MS,
    renews: true,
    judge: (answer) => judgeAck(answer, target, subject),
    timedOut: () => errors.NO_ACK({ target, subject, ms: ACK_MS }),
  });
}

async function requesting(
  held: Shared<Connection>,
  subject: string,
  config: NatsConfig,
  context: OpenContext,
): Promise<Publisher> {
  const { target } = held.value;
  const timeoutMs = config.request_timeout_ms ?? DEFAULTS.requestTimeoutMs;
  return answering(held, context, {
    subject,
    deduplicate: false,
    inbox: await newInbox(),
    timeoutMs,
    renews: false,
    judge(answer, batch, index) {
      if (statusOf(answer) === 503) return failed(errors.NO_RESPONDER({ target, subject }));
      const metadata = answer.hasHeaders ? readHeaders(answer.block) : undefined;
      return replied(new Message(answer.data, metadata, batch.id(index)));
    },
    timedOut: () => errors.REQUEST_TIMEOUT({ target, subject, ms: timeoutMs }),
  });
}

function answering(
  held: Shared<Connection>,
  context: OpenContext,
  settings: Omit<ExchangeSettings, "connection" | "clock" | "withheld">,
): Publisher {
  const withheld = new WithheldMetadata(context);
  const exchange = new Exchange({
    ...settings,
    connection: held.value,
    clock: context.clock,
    withheld: withheld.note,
  });
  return new AnsweringPublisher(held, exchange, withheld, settings.subject);
}

async function newInbox(): Promise<string> {
  return (await import("nats")).createInbox();
}
