import { formatPath } from "../config/path.ts";
import type { Problem } from "../config/problem.ts";
import type { ErrorKind } from "./mqb-error.ts";
import { defineErrors, type ErrorRow } from "./table.ts";

type Listed = Pick<Problem, "path" | "message" | "hint">;

function listed(problems: readonly Listed[]): string {
  const at = ({ path }: Listed): string => (path.length > 0 ? `${formatPath(path)}: ` : "");
  const hinted = ({ hint }: Listed): string => (hint === undefined ? "" : ` (${hint})`);
  return problems.map((one) => at(one) + one.message + hinted(one)).join("; ");
}

function kind(kind: ErrorKind) {
  return <P>(message: ErrorRow<P>["message"], hint?: ErrorRow<P>["hint"]): ErrorRow<P> =>
    hint === undefined ? { kind, message } : { kind, message, hint };
}

const [config, connection, permanent, retryable] = [
  kind("config"),
  kind("connection"),
  kind("permanent"),
  kind("retryable"),
];

/** Every error that core itself throws or reports. */
export const coreErrors = defineErrors("MQB_CORE", {
  NOT_A_PLUGIN: config<{ what: string }>(
    (p) => `${p.what} is not an mqb plugin`,
    "its default export must be made by definePlugin of @mqb/core/plugin",
  ),
  API_VERSION: config<{ plugin: string; offered: unknown; wanted: string }>(
    (p) => `plugin ${p.plugin} is made for plugin API version ${p.offered}; this mqb takes ${p.wanted}`,
    (p) => `install a version of ${p.plugin} that fits this mqb, or update mqb`,
  ),
  DUPLICATE_NAME: config<{ what: string; name: string; first: string; second: string }>(
    (p) => `the ${p.what} "${p.name}" is offered by two plugins: ${p.first} and ${p.second}`,
    "remove one of them, or list the one you want under `plugins`",
  ),
  BAD_PLUGIN: config<{ plugin: string; reason: string }>((p) => `plugin ${p.plugin} cannot be registered: ${p.reason}`),
  BAD_MANIFEST: config<{ package: string; reason: string }>(
    (p) => `the "mqb" field in the package.json of ${p.package} is not usable: ${p.reason}`,
  ),
  INVALID_ROUTE: config<{ route: string; problems: readonly Listed[] }>(
    (p) => `route "${p.route}" cannot start: ${listed(p.problems)}`,
  ),
  INVALID_ENDPOINT: config<{ problems: readonly Listed[] }>(
    (p) => `the endpoint cannot be opened: ${listed(p.problems)}`,
  ),
  ROUTE_EXISTS: config<{ route: string }>(
    (p) => `there is a route named "${p.route}" already`,
    "stop it first, or choose another name",
  ),
  NO_ROUTE: config<{ route: string; known: readonly string[] }>(
    (p) => `no route named "${p.route}"; there are: ${p.known.join(", ") || "none"}`,
  ),
  ALREADY_STARTED: config<{ route: string }>(
    (p) => `route "${p.route}" was started already`,
    "make a new route to run it again",
  ),
  START_TIMEOUT: connection<{ route: string; ms: number; waitingFor: string }>(
    (p) => `route "${p.route}" did not start in time: ${p.waitingFor} was not connected within ${p.ms} ms`,
    "raise startup_timeout_ms, or check that the system can be reached",
  ),
  STOPPED: connection<{ route: string }>((p) => `route "${p.route}" is stopping`),
  GRACE_OVER: connection<{ route: string; ms: number }>(
    (p) => `route "${p.route}" was cut off: it had not finished within its grace period of ${p.ms} ms`,
  ),
  FLUSH_FAILED: permanent<{ route: string }>(
    (p) => `the output of route "${p.route}" could not be flushed, so the last messages may not be durable`,
  ),
  HANDLER_FAILED: retryable<{ route: string; id: string }>(
    (p) => `the handler of route "${p.route}" failed for message ${p.id}`,
  ),
  HANDLER_RESULT: permanent<{ route: string; what: string }>(
    (p) => `the handler of route "${p.route}" returned ${p.what}`,
    "a handler returns nothing (acknowledge), a Message (publish it), or a promise of one of these",
  ),
  NOT_BYTES: permanent<{ what: string }>((p) => `the payload of a message is bytes or a text, not ${p.what}`),
  OUTCOME_COUNT: connection<{ endpoint: string; sent: number; got: number }>(
    (p) => `${p.endpoint} returned ${p.got} outcomes for ${p.sent} messages`,
    "this is a fault of the connector; the messages are sent again",
  ),
  NO_ANSWER: connection<{ input: string; ms: number }>(
    (p) => `the input "${p.input}" did not answer within ${p.ms} ms after it was told to stop waiting`,
  ),
  DRAIN_GAVE_UP: connection<{ route: string; reconnects: number }>(
    (p) => `route "${p.route}" gave up its drain after ${p.reconnects} reconnects`,
  ),
  GUARANTEE: config<{ required: string; level: string; reason: string; setting: string | undefined }>(
    (p) => `required_delivery is ${p.required}, but this route is ${p.level}: ${p.reason}`,
    (p) => `${p.setting ? `set ${p.setting} on the input` : `ask for ${p.level}`}, or remove required_delivery`,
  ),
  NO_STORE: config<{ scheme: string; known: readonly string[]; install?: string }>(
    (p) => `no state store for "${p.scheme}:" URLs; there are: ${p.known.join(", ") || "none"}`,
    (p) => (p.install ? `install ${p.install}` : "check the URL's scheme"),
  ),
  NO_EXPRESSIONS: config<{ path: string }>(
    (p) => `${p.path} needs the expression language, which is not installed`,
    "install @mqb/expression",
  ),
  ASYNC_SCHEMA: config<{ what: string }>(
    (p) => `the configuration schema of ${p.what} answers with a promise; it must be synchronous`,
  ),
});
