import type { ProbeContext, ProbeFinding } from "@mqb/core/plugin";
import { describeError, isMqbError } from "@mqb/core/plugin";
import { connect } from "./client/connect.ts";
import type { Connection } from "./client/connection.ts";
import { JetStreamApi, type StreamInfo } from "./client/jetstream-api.ts";
import { covers, durableName, subjectsOf } from "./names.ts";
import type { NatsConfig } from "./schema.ts";

/** Looks at the server, the stream and the consumer; makes none of them and reads nothing. */
export async function probeNats(config: NatsConfig, context: ProbeContext): Promise<ProbeFinding[]> {
  const identity = `nats ${config.stream ?? ""} ${config.subject ?? ""}`;
  let connection: Connection;
  try {
    connection = await connect(config, context);
  } catch (error) {
    context.signal.throwIfAborted();
    return [{ ...failing(error), identity }];
  }
  try {
    const { version = "?", server_name: name = "" } = connection.nats.info ?? {};
    const found = fine("reachable", `${connection.target} is nats-server ${version} ${name}`.trim());
    const core = config.no_jetstream || (context.side === "output" && config.request_reply);
    return [
      { ...found, identity },
      ...(core ? [] : await streamFindings(config, new JetStreamApi(connection), context)),
    ];
  } catch (error) {
    context.signal.throwIfAborted();
    return [failing(error)];
  } finally {
    await connection.close();
  }
}

async function streamFindings(config: NatsConfig, api: JetStreamApi, context: ProbeContext): Promise<ProbeFinding[]> {
  const { stream: name, subject } = config;
  if (subject == null) return [];
  const info = name == null ? undefined : await api.stream(name);
  if (name != null && info) {
    const held = exists(name, info, subject, context.side);
    return context.side === "input" && held.ok ? [held, await consumer(config, api, name, subject)] : [held];
  }
  const [other] = await api.streamsOf(subject);
  if (context.side === "output" && other !== undefined) return [fine("exists", `the stream ${other} holds ${subject}`)];
  if (name == null)
    return [bad("exists", `no stream holds ${subject}`, "set stream, so that one is made; or no_jetstream: true")];
  return subjectsOf(name, subject).some((pattern) => covers(pattern, subject))
    ? [fine("exists", `there is no stream ${name} yet; the route makes it`)]
    : [
        bad(
          "exists",
          `the stream ${name}, which would be made, does not hold ${subject}`,
          `begin the subject with ${name}.`,
        ),
      ];
}

function exists(
  name: string,
  { config: { subjects }, state }: StreamInfo,
  subject: string,
  side: string,
): ProbeFinding {
  const detail = `the stream ${name} has ${state.messages} messages of ${subjects?.join(", ") ?? "other streams"}`;
  const holds = subjects === undefined || subjects.some((pattern) => covers(pattern, subject));
  if (holds || side === "input") return fine("exists", detail);
  return bad("exists", `${detail}; ${subject} is none of them`, "use a subject of the stream");
}

async function consumer(config: NatsConfig, api: JetStreamApi, stream: string, subject: string): Promise<ProbeFinding> {
  if (config.subscriber_mode) return fine("consumer", "the route makes a consumer of its own");
  const name = durableName(stream, subject);
  const info = await api.consumer(stream, name);
  if (!info) return fine("consumer", `there is no consumer ${name} yet; the route makes it`);
  return fine(
    "consumer",
    `the consumer ${name} has ${info.num_pending} messages left, ${info.num_ack_pending} are not acknowledged`,
  );
}

function fine(check: string, detail: string): ProbeFinding {
  return { check, ok: true, detail };
}

function bad(check: string, detail: string, hint: string): ProbeFinding {
  return { check, ok: false, detail, hint };
}

function failing(error: unknown): ProbeFinding {
  const check = isMqbError(error) && error.code === "MQB_NATS_LOGIN" ? "credentials" : "reachable";
  const hint = isMqbError(error) ? error.hint : undefined;
  return { check, ok: false, detail: describeError(error), ...(hint === undefined ? {} : { hint }) };
}
