import type { CheckContext, Finding, MqbError } from "@mqb/core/plugin";
import { checkTls } from "@mqb/tls";
import { parseServers } from "./client/servers.ts";
import { errors } from "./errors.ts";
import { streamFault, subjectFault } from "./names.ts";
import type { NatsConfig } from "./schema.ts";

type Field = keyof NatsConfig;

/** Fields that work only together with, or only without, another one. */
const WITHOUT_JETSTREAM: readonly Field[] = ["deduplicate", "delayed_ack", "deliver_policy"];
const WITH_REQUESTS: readonly Field[] = ["deduplicate", "delayed_ack", "stream"];
const LOGINS: readonly Field[] = ["creds_file", "nkey_seed", "token"];
const OF_STREAM: readonly Field[] = ["stream_max_messages", "stream_max_bytes"];

/** What is wrong with a configuration of the right shape. Touches no network. */
export function checkNats(config: NatsConfig, { side }: CheckContext): readonly Finding[] {
  const found: Finding[] = [...names(config, side), ...logins(config), ...checkTls(config.tls, ["tls"], "client")];
  try {
    parseServers(config.url);
  } catch (error) {
    found.push(finding("url", error as MqbError));
  }
  if (side === "input" && config.stream == null) {
    found.push(finding("stream", errors.NO_STREAM_NAME({ core: config.no_jetstream === true })));
  }
  return [...found, ...withoutEffect(config, side)];
}

function names({ subject, stream }: NatsConfig, side: "input" | "output"): Finding[] {
  const found: Finding[] = [];
  const wrongSubject = subject == null ? undefined : subjectFault(subject, side === "input");
  if (wrongSubject !== undefined)
    found.push(finding("subject", errors.NAME({ field: "subject", value: subject!, reason: wrongSubject })));
  const wrongStream = stream == null ? undefined : streamFault(stream);
  if (wrongStream !== undefined)
    found.push(finding("stream", errors.NAME({ field: "stream", value: stream!, reason: wrongStream })));
  return found;
}

/** A token beside a user name is taken instead of it; other logins exclude each other. */
function logins(config: NatsConfig): Finding[] {
  const [first, second] = LOGINS.filter((name) => config[name] != null);
  if (first !== undefined && second !== undefined) return [finding(second, errors.TWO_LOGINS({ first, second }))];
  const strong = config.creds_file == null ? "nkey_seed" : "creds_file";
  if (config[strong] != null && config.username != null)
    return [finding("username", errors.TWO_LOGINS({ first: strong, second: "username" }))];
  if (config.token != null && config.username != null)
    return [noEffect("username", "a token is set, which wins over user name and password")];
  return config.password != null && config.username == null
    ? [noEffect("password", "there is no username beside it")]
    : [];
}

function withoutEffect(config: NatsConfig, side: "input" | "output"): Finding[] {
  const found: Finding[] = [];
  const set = (field: Field): boolean => config[field] != null && config[field] !== false;
  if (config.no_jetstream) {
    for (const field of [...WITHOUT_JETSTREAM, ...OF_STREAM].filter(set))
      found.push(noEffect(field, "no_jetstream is set, and there is no stream"));
  }
  if (side === "output" && config.request_reply) {
    const fields = config.no_jetstream ? WITH_REQUESTS.slice(0, 0) : [...WITH_REQUESTS, ...OF_STREAM];
    for (const field of fields.filter(set)) found.push(noEffect(field, "request_reply asks over core NATS"));
  }
  if (side === "output" && !config.request_reply && config.request_timeout_ms != null)
    found.push(noEffect("request_timeout_ms", "request_reply is not set"));
  return found;
}

function finding(field: Field, { code, message, hint }: MqbError): Finding {
  return { level: "error", path: [field], code, message, ...(hint === undefined ? {} : { hint }) };
}

function noEffect(field: Field, why: string): Finding {
  const message = `nats.${field} has no effect here: ${why}`;
  return { level: "warning", path: [field], code: "MQB_NATS_NO_EFFECT", message };
}
