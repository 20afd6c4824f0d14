import type { OptionList, OptionProblem } from "./option.ts";

const field = (name: string): string => `use the field \`${name}\``;
const waits = "offsets are committed when the output has taken the messages";

/** What librdkafka would take and this endpoint cannot let it have: why. */
const REFUSED: Readonly<Record<string, string>> = {
  "metadata.broker.list": field("url"),
  "bootstrap.servers": field("url"),
  "sasl.username": field("username"),
  "sasl.password": field("password"),
  "ssl.ca.location": field("tls.ca_file"),
  "ssl.certificate.location": field("tls.cert_file"),
  "ssl.key.location": field("tls.key_file"),
  "ssl.key.password": field("tls.cert_password"),
  "group.id": field("group_id"),
  "transactional.id": "this engine writes no transactions; leave `engine` out",
  retries: "use delivery.timeout.ms",
};

const FIXED: Readonly<Record<string, readonly [value: string, why: string]>> = {
  "enable.auto.commit": ["false", waits],
  "enable.auto.offset.store": ["false", waits],
  "enable.partition.eof": ["true", "a drain needs it"],
  "group.protocol": ["classic", "the newer protocol is not spoken"],
  "allow.auto.create.topics": ["false", "`create_topic` makes topics"],
  "delivery.report.only.error": ["false", "every message waits for its report"],
};

const EAGER: readonly string[] = ["range", "roundrobin"];

/** With `engine: rdkafka` the pairs go to librdkafka, which knows its own; these are the exceptions. */
export function rdkafkaProblems(list: OptionList | null | undefined): OptionProblem[] {
  return (list ?? []).flatMap(([name, value], index): OptionProblem[] => {
    const error = (message: string): OptionProblem[] => [{ index, level: "error", message }];
    if (Object.hasOwn(REFUSED, name)) return error(`"${name}" cannot be set: ${REFUSED[name]}`);
    if (/(^|[._])cb$/.test(name)) return error(`"${name}" cannot be set: it is a function`);
    const [only, why] = Object.hasOwn(FIXED, name) ? FIXED[name]! : [value.toLowerCase(), ""];
    if (value.toLowerCase() !== only) return error(`"${name}" cannot be "${value}": it is always ${only}: ${why}`);
    if (name === "partition.assignment.strategy" && !value.split(",").every((one) => EAGER.includes(one.trim())))
      return error(`"${name}" cannot be "${value}": ${EAGER.join(", ")} are known`);
    return [];
  });
}
