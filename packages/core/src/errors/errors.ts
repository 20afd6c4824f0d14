import { formatPath } from "../config/path.ts";
import type { Problem } from "../config/problem.ts";
import { defineErrors, errorRow } from "./table.ts";

type Listed = Pick<Problem, "path" | "message" | "hint">;

function listed(problems: readonly Listed[]): string {
  const at = ({ path }: Listed): string => (path.length > 0 ? `${formatPath(path)}: ` : "");
  const hinted = ({ hint }: Listed): string => (hint === undefined ? "" : ` (${hint})`);
  return problems.map((one) => at(one) + one.message + hinted(one)).join("; ");
}

/** Every error that core itself throws or reports. */
export const coreErrors = defineErrors("MQB_CORE", {
  NOT_A_PLUGIN: errorRow<{ what: string }>({
    kind: "config",
    message: (p) => `${p.what} is not an mqb plugin`,
    hint: "its default export must be made by definePlugin of @mqb/core/plugin",
  }),
  API_VERSION: errorRow<{ plugin: string; offered: unknown; wanted: string }>({
    kind: "config",
    message: (p) => `plugin ${p.plugin} is made for plugin API version ${p.offered}; this mqb takes ${p.wanted}`,
    hint: (p) => `install a version of ${p.plugin} that fits this mqb, or update mqb`,
  }),
  DUPLICATE_NAME: errorRow<{ what: string; name: string; first: string; second: string }>({
    kind: "config",
    message: (p) => `the ${p.what} "${p.name}" is offered by two plugins: ${p.first} and ${p.second}`,
    hint: "remove one of them, or list the one you want under `plugins`",
  }),
  BAD_PLUGIN: errorRow<{ plugin: string; reason: string }>({
    kind: "config",
    message: (p) => `plugin ${p.plugin} cannot be registered: ${p.reason}`,
  }),
  BAD_MANIFEST: errorRow<{ package: string; reason: string }>({
    kind: "config",
    message: (p) => `the "mqb" field in the package.json of ${p.package} is not usable: ${p.reason}`,
  }),
  INVALID_ROUTE: errorRow<{ route: string; problems: readonly Listed[] }>({
    kind: "config",
    message: (p) => `route "${p.route}" cannot start: ${listed(p.problems)}`,
  }),
  INVALID_ENDPOINT: errorRow<{ problems: readonly Listed[] }>({
    kind: "config",
    message: (p) => `the endpoint cannot be opened: ${listed(p.problems)}`,
  }),
  ROUTE_EXISTS: errorRow<{ route: string }>({
    kind: "config",
    message: (p) => `there is a route named "${p.route}" already`,
    hint: "stop it first, or choose another name",
  }),
  NO_ROUTE: errorRow<{ route: string; known: readonly string[] }>({
    kind: "config",
    message: (p) => `no route named "${p.route}"; there are: ${p.known.join(", ") || "none"}`,
  }),
  ALREADY_STARTED: errorRow<{ route: string }>({
    kind: "config",
    message: (p) => `route "${p.route}" was started already`,
    hint: "make a new route to run it again",
  }),
  START_TIMEOUT: errorRow<{ route: string; ms: number; waitingFor: string }>({
    kind: "connection",
    message: (p) => `route "${p.route}" did not start in time: ${p.waitingFor} was not connected within ${p.ms} ms`,
    hint: "raise startup_timeout_ms, or check that the system can be reached",
  }),
  STOPPED: errorRow<{ route: string }>({ kind: "connection", message: (p) => `route "${p.route}" is stopping` }),
  GRACE_OVER: errorRow<{ route: string; ms: number }>({
    kind: "connection",
    message: (p) => `route "${p.route}" was cut off: it had not finished within its grace period of ${p.ms} ms`,
  }),
  FLUSH_FAILED: errorRow<{ route: string }>({
    kind: "permanent",
    message: (p) => `the output of route "${p.route}" could not be flushed, so the last messages may not be durable`,
  }),
  HANDLER_FAILED: errorRow<{ route: string; id: string }>({
    kind: "retryable",
    message: (p) => `the handler of route "${p.route}" failed for message ${p.id}`,
  }),
  HANDLER_RESULT: errorRow<{ route: string; what: string }>({
    kind: "permanent",
    message: (p) => `the handler of route "${p.route}" returned ${p.what}`,
    hint: "a handler returns nothing (acknowledge), a Message (publish it), or a promise of one of these",
  }),
  OUTCOME_COUNT: errorRow<{ endpoint: string; sent: number; got: number }>({
    kind: "connection",
    message: (p) => `${p.endpoint} returned ${p.got} outcomes for ${p.sent} messages`,
    hint: "this is a fault of the connector; the messages are sent again",
  }),
  NO_ANSWER: errorRow<{ input: string; ms: number }>({
    kind: "connection",
    message: (p) => `the input "${p.input}" did not answer within ${p.ms} ms after it was told to stop waiting`,
  }),
  DRAIN_GAVE_UP: errorRow<{ route: string; reconnects: number }>({
    kind: "connection",
    message: (p) => `route "${p.route}" gave up its drain after ${p.reconnects} reconnects`,
  }),
  GUARANTEE: errorRow<{ required: string; inferred: string; reason: string }>({
    kind: "config",
    message: (p) => `required_delivery is ${p.required}, but this route is ${p.inferred}: ${p.reason}`,
  }),
  NO_STORE: errorRow<{ scheme: string; known: readonly string[]; install?: string }>({
    kind: "config",
    message: (p) => `no state store for "${p.scheme}:" URLs; there are: ${p.known.join(", ") || "none"}`,
    hint: (p) => (p.install ? `install ${p.install}` : "check the URL's scheme"),
  }),
  NO_EXPRESSIONS: errorRow<{ path: string }>({
    kind: "config",
    message: (p) => `${p.path} needs the expression language, which is not installed`,
    hint: "install @mqb/expression",
  }),
  ASYNC_SCHEMA: errorRow<{ what: string }>({
    kind: "config",
    message: (p) => `the configuration schema of ${p.what} answers with a promise; it must be synchronous`,
  }),
});
