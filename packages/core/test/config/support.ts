import { checkRoute } from "../../src/config/check-route.ts";
import { formatPath } from "../../src/config/path.ts";
import type { Problem } from "../../src/config/problem.ts";
import type { EndpointDefinition, MiddlewareDefinition, References } from "../../src/contract/definition.ts";
import { createRegistry, type RegistryOptions } from "../../src/plugin/registry.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { fields, INPUT, middleware, OUTPUT, plugin } from "../fakes/plugin.ts";
import { FakePublisher } from "../fakes/publisher.ts";

const opens = {
  input: { capabilities: () => INPUT, open: () => new FakeConsumer() },
  output: { capabilities: () => OUTPUT, open: () => new FakePublisher() },
};
const input = { input: (inner: never) => inner };
const output = { output: (inner: never) => inner };

/** Endpoints and middlewares with the names and sides of real ones. */
export const endpoints: Readonly<Record<string, EndpointDefinition>> = {
  memory: { description: "", schema: fields(["topic", "capacity"], ["topic"]), nameField: "topic", ...opens },
  kafka: { description: "", schema: fields(["topic", "url"], ["topic", "url"]), aliases: ["k"], ...opens },
  file: { description: "", schema: fields(["path"], ["path"]), ...opens },
  null: { description: "", schema: fields([]), output: opens.output },
  static: { description: "", schema: fields(["body"]), input: opens.input },
};

export const middlewares: Readonly<Record<string, MiddlewareDefinition>> = {
  retry: middleware({ schema: fields(["max_attempts"]), ...output }),
  dlq: middleware({
    ...output,
    children: (config) => [{ path: "endpoint", side: "output", endpoint: (config as { endpoint: unknown }).endpoint }],
  }),
  deduplication: middleware({ schema: fields(["store"], ["store"]), ...input }),
  id: middleware(input),
  delay: middleware({ schema: fields(["delay_ms"]), ...input, ...output }),
};

export interface CheckOptions extends RegistryOptions {
  readonly endpoints?: Readonly<Record<string, EndpointDefinition>>;
  readonly middlewares?: Readonly<Record<string, MiddlewareDefinition>>;
  readonly references?: Readonly<Record<string, unknown>>;
}

/** Checks the body of a route; a side that is missing is a memory endpoint, unless `complete` is false. */
export function check(route: unknown, options: CheckOptions = {}, complete = true) {
  const given = {
    endpoints: { ...endpoints, ...options.endpoints },
    middlewares: { ...middlewares, ...options.middlewares },
  };
  const registry = createRegistry([plugin(given)], options);
  const whole = complete
    ? { input: { memory: { topic: "in" } }, output: { memory: { topic: "out" } }, ...(route as object) }
    : route;
  const named = new Map(Object.entries(options.references ?? {}));
  const references: References = { get: (name) => named.get(name), names: () => [...named.keys()] };
  return checkRoute(registry, "r", whole, references);
}

/** Each error as `code path: message (hint)`. */
export function errorsOf(route: unknown, options: CheckOptions = {}, complete = true): string[] {
  const { plan, problems } = check(route, options, complete);
  const errors = problems.filter((problem) => problem.level === "error").map(written);
  if ((plan === undefined) !== errors.length > 0) throw new Error("a plan and errors exclude each other");
  return errors;
}

export function written({ code, path, message, hint }: Problem): string {
  return `${code.replace("MQB_CONFIG_", "")} ${formatPath(path)}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
}
