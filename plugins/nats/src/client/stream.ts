import type { Logger, MqbError } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { covers, overlap, subjectsOf } from "../names.ts";
import { DEFAULTS, type NatsConfig } from "../schema.ts";
import { API, ApiRefusal, type JetStreamApi, type StreamInfo } from "./jetstream-api.ts";

/** What is known of the stream before anything is sent to it or read from it. */
export interface StreamPlace {
  readonly name: string;
  readonly subject: string;
}

/**
 * Finds the stream, or makes it as the original makes it. Throws a `config` error when it does not hold the subject: what is
 * sent would be refused, and nothing would ever be read. One that is there already is left as it is.
 */
export async function ensureStream(
  api: JetStreamApi,
  config: NatsConfig,
  { name, subject }: StreamPlace,
): Promise<StreamInfo> {
  const { target } = api.connection;
  const found = await api.stream(name);
  if (found) {
    if (!mayHold(found, subject)) throw notHeld(found, target, subject);
    return found;
  }
  const subjects = subjectsOf(name, subject);
  if (!subjects.some((pattern) => covers(pattern, subject))) {
    throw errors.STREAM_SUBJECT({ target, stream: name, subjects: subjects.join(", "), subject, made: true });
  }
  try {
    await api.createStream(streamConfig(config, name, subjects));
  } catch (error) {
    // Somebody else has made it meanwhile, perhaps in another way: look at what is there.
    const { cause } = error as { cause?: unknown };
    if (!(cause instanceof ApiRefusal && cause.code === API.nameInUse)) throw error;
  }
  const made = await api.stream(name);
  if (!made) throw errors.API_BUSY({ target, what: `make the stream ${name}`, reason: "it is not there" });
  if (!mayHold(made, subject)) throw notHeld(made, target, subject);
  return made;
}

/** Finds where an output sends to: its own stream, or whichever holds the subject. Throws a `config` error when none does. */
export async function streamForOutput(
  api: JetStreamApi,
  config: NatsConfig,
  subject: string,
  log: Logger,
): Promise<void> {
  const { target } = api.connection;
  const { stream: name } = config;
  const own = name == null ? undefined : await api.stream(name);
  if (own && holds(own, subject)) return;
  const [other] = await api.streamsOf(subject);
  if (other !== undefined) {
    if (name != null)
      log.warn(`the subject ${subject} belongs to the stream ${other}, not to ${name}: that is where messages go`);
    return;
  }
  if (name == null) throw errors.NO_STREAM_FOR({ target, subject });
  if (own) throw notHeld(own, target, subject);
  await ensureStream(api, config, { name, subject });
}

/** A stream that copies others, or changes subjects, holds what its own subjects do not say. */
function mayHold({ config }: StreamInfo, subject: string): boolean {
  if (config.mirror || config.sources?.length || config.subject_transform) return true;
  return (config.subjects ?? []).some((pattern) => overlap(pattern, subject));
}

function notHeld({ config }: StreamInfo, target: string, subject: string): MqbError {
  const subjects = config.subjects?.join(", ") ?? "nothing that is sent to it";
  return errors.STREAM_SUBJECT({ target, stream: config.name, subjects, subject, made: false });
}

function holds({ config: { subjects = [] } }: StreamInfo, subject: string): boolean {
  return subjects.some((pattern) => covers(pattern, subject));
}

function streamConfig(config: NatsConfig, name: string, subjects: readonly string[]) {
  return {
    name,
    subjects,
    retention: "limits",
    storage: "file",
    discard: "old",
    max_consumers: -1,
    max_msgs: config.stream_max_messages ?? DEFAULTS.streamMaxMessages,
    max_bytes: config.stream_max_bytes ?? DEFAULTS.streamMaxBytes,
    max_msgs_per_subject: -1,
    max_msg_size: -1,
    max_age: 0,
    num_replicas: 1,
  };
}
