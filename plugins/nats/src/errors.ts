import { defineErrors, errorRow } from "@mqb/core/plugin";

interface OfServer {
  /** Hosts and ports, without credentials. */
  readonly target: string;
}

interface OfSubject extends OfServer {
  readonly subject: string;
}

/** Every error of this package. None shows a password, a token or a seed. */
export const errors = defineErrors("MQB_NATS", {
  URL: errorRow<{ reason: string }>({
    kind: "config",
    message: (p) => `the url of a nats endpoint cannot be used: ${p.reason}`,
    hint: "write nats://host:4222 or tls://host:4222; several servers of one cluster are separated by commas",
  }),
  NAME: errorRow<{ field: string; value: string; reason: string }>({
    kind: "config",
    message: (p) => `nats.${p.field} "${p.value}" is no name that NATS takes: ${p.reason}`,
  }),
  NO_STREAM_NAME: errorRow<{ core: boolean }>({
    kind: "config",
    message: () => "a nats input needs a stream: nats.stream is missing",
    hint: (p) =>
      p.core
        ? "with no_jetstream any name will do: it names the queue group that the readers share"
        : "name the JetStream stream that holds the subject",
  }),
  NO_SUBJECT: errorRow<object>({ kind: "config", message: () => "a nats endpoint needs a subject" }),
  TWO_LOGINS: errorRow<{ first: string; second: string }>({
    kind: "config",
    message: (p) => `nats.${p.first} and nats.${p.second} are two ways to log in: give one of them`,
  }),
  CREDENTIALS_FILE: errorRow<{ file: string; reason: string }>({
    kind: "config",
    message: (p) => `nats.creds_file names ${p.file}, which cannot be used: ${p.reason}`,
    hint: "a credentials file holds a user JWT and its seed, as `nsc generate creds` writes it",
  }),
  NKEY: errorRow<object>({
    kind: "config",
    message: () => "nats.nkey_seed is no seed of a user key",
    hint: "a seed begins with SU; `nk -gen user` makes one",
  }),
  LOGIN: errorRow<OfServer & { how: string }>({
    kind: "config",
    message: (p) => `the NATS server ${p.target} refuses the login ${p.how}`,
    hint: "check username and password, token, nkey_seed or creds_file",
  }),
  NO_TLS: errorRow<OfServer>({
    kind: "config",
    message: (p) => `the NATS server ${p.target} does not offer TLS`,
    hint: "use its TLS port, or leave tls.required out and write nats:// in the url",
  }),
  UNREACHABLE: errorRow<OfServer>({
    kind: "connection",
    message: (p) => `the NATS server ${p.target} cannot be reached`,
  }),
  LOST: errorRow<OfServer & { reason: string }>({
    kind: "connection",
    message: (p) => `the connection to the NATS server ${p.target} is lost: ${p.reason}`,
  }),
  CLOSED: errorRow<object>({ kind: "connection", message: () => "the nats endpoint is closed" }),
  NO_JETSTREAM: errorRow<OfServer>({
    kind: "config",
    message: (p) => `the NATS server ${p.target} has no JetStream for this login`,
    hint: "enable JetStream on the server and for the account, or set no_jetstream: true",
  }),
  NOT_PERMITTED: errorRow<OfServer & { what: string }>({
    kind: "config",
    message: (p) => `the NATS server ${p.target} does not permit this login to ${p.what}`,
    hint: "give the user the permission, or use another one",
  }),
  API: errorRow<OfServer & { what: string; code: number; reason: string }>({
    kind: "config",
    message: (p) => `the NATS server ${p.target} refuses to ${p.what}: ${p.reason} (${p.code})`,
  }),
  API_BUSY: errorRow<OfServer & { what: string; reason: string }>({
    kind: "connection",
    message: (p) => `the NATS server ${p.target} cannot ${p.what} now: ${p.reason}`,
  }),
  NO_STREAM_FOR: errorRow<OfSubject>({
    kind: "config",
    message: (p) => `no stream of the NATS server ${p.target} holds the subject ${p.subject}`,
    hint: "set stream, which makes one with the subjects <stream>.>; or no_jetstream: true for subjects that nothing keeps",
  }),
  STREAM_SUBJECT: errorRow<OfSubject & { stream: string; subjects: string; made: boolean }>({
    kind: "config",
    message: (p) =>
      p.made
        ? `the stream ${p.stream}, which would be made with the subjects ${p.subjects}, does not hold the subject ${p.subject}`
        : `the stream ${p.stream} of the NATS server ${p.target} holds ${p.subjects}, not the subject ${p.subject}`,
    hint: (p) =>
      p.made
        ? `begin the subject with the stream's name: ${p.stream}.${p.subject}; or make the stream beforehand, with that subject`
        : "use a subject of the stream, or add it to the stream",
  }),
  CONSUMER: errorRow<{ stream: string; consumer: string; field: string; found: string; wanted: string }>({
    kind: "config",
    message: (p) =>
      `the consumer ${p.consumer} of the stream ${p.stream} is there already, with ${p.field} ${p.found} instead of ${p.wanted}`,
    hint: "delete the consumer, which forgets its position, or write what it has",
  }),
  CONSUMER_GONE: errorRow<{ stream: string; consumer: string; reason: string }>({
    kind: "connection",
    message: (p) => `the consumer ${p.consumer} of the stream ${p.stream} gives nothing more: ${p.reason}`,
  }),
  NO_STREAM_NOW: errorRow<OfSubject>({
    kind: "connection",
    message: (p) => `no stream of the NATS server ${p.target} takes messages of ${p.subject} any more`,
    hint: "the stream was deleted or its leader is gone; it is looked for, and made where `stream` is set, at the reconnect",
  }),
  REFUSED: errorRow<OfSubject & { code: number; reason: string }>({
    kind: "permanent",
    message: (p) => `the stream refuses a message of ${p.subject}: ${p.reason} (${p.code})`,
  }),
  NOT_STORED: errorRow<OfSubject & { code: number; reason: string }>({
    kind: "retryable",
    message: (p) => `a message of ${p.subject} was not stored: ${p.reason} (${p.code})`,
  }),
  NO_ACK: errorRow<OfSubject & { ms: number }>({
    kind: "retryable",
    message: (p) => `the NATS server ${p.target} did not acknowledge a message of ${p.subject} within ${p.ms} ms`,
  }),
  TOO_LARGE: errorRow<OfSubject & { bytes: number; limit: number }>({
    kind: "permanent",
    message: (p) =>
      `a message of ${p.subject} has ${p.bytes} bytes with its headers; the NATS server ${p.target} takes ${p.limit}`,
    hint: "raise max_payload of the server, or send less",
  }),
  NO_RESPONDER: errorRow<OfSubject>({
    kind: "retryable",
    message: (p) => `nobody answers requests of ${p.subject}`,
  }),
  REQUEST_TIMEOUT: errorRow<OfSubject & { ms: number }>({
    kind: "retryable",
    message: (p) => `a request of ${p.subject} was not answered within ${p.ms} ms`,
    hint: "raise request_timeout_ms, or look at whoever answers",
  }),
  GIVEN_UP: errorRow<OfSubject>({
    kind: "retryable",
    message: (p) => `a message of ${p.subject} was given up: the route does not wait any longer`,
  }),
  NO_RESUME: errorRow<object>({
    kind: "config",
    message: () => "a nats input cannot take --resume",
    hint: "the durable consumer of the stream keeps the position on the server: leave --resume out",
  }),
  DRIVER: errorRow<{ version: string }>({
    kind: "config",
    message: (p) => `the package nats ${p.version} is not the one that @mqb/nats was made for`,
    hint: "install the version that @mqb/nats depends on",
  }),
});
