import { isMap, type SchemeDefinition } from "@mqb/core/plugin";
import { type Opened, stubsPlugin } from "../../../../packages/config/test/stubs/registry.ts";

/** Fails with everything that it was given, as a driver may that quotes its options, and logs it before. */
const opened: Opened = (config, { log }) => {
  const url = isMap(config) && typeof config["url"] === "string" ? config["url"] : "";
  for (const level of ["debug", "info", "warn", "error"] as const) {
    log[level](`connecting with ${JSON.stringify(config)}`, { config, url });
    log[level](`connecting to ${url}`, { error: new Error(`no ${url}`, { cause: config }) });
  }
  const error = new Error(`cannot connect to ${url} with ${texts(config).join(", ")}`, {
    cause: new Error(JSON.stringify(config)),
  });
  CRASHES[process.env["STUBS_CRASH"] ?? ""]?.(error, config);
  throw error;
};

/** Faults that nobody catches. */
const CRASHES: Readonly<Record<string, (error: Error, config: unknown) => void>> = {
  throws: (error) =>
    void setImmediate(() => {
      throw error;
    }),
  rejects: (error) => void Promise.reject(error),
  "rejects with a value": (_, config) => void Promise.reject(config as Error),
  "throws a text": (_, config) =>
    void setImmediate(() => {
      throw texts(config).join(" ");
    }),
};

/** Every text in a value, as it is. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

/** Schemes as the plugins will have them: most keep what they do not know on the URL, for the driver. */
const SCHEMES: Readonly<Record<string, SchemeDefinition>> = {
  kafka: { endpoint: "kafka", config: ({ body }) => ({ url: body.replace(/^\/\//, "") }) },
  nats: { endpoint: "nats", config: ({ body }) => ({ url: `nats:${body}` }) },
  postgres: { endpoint: "sqlx", config: ({ body }) => ({ url: `postgres:${body}` }), driverParams: "url" },
  mongodb: { endpoint: "mongodb", config: ({ body }) => ({ url: `mongodb:${body}` }), driverParams: "url" },
  amqp: { endpoint: "amqp", config: ({ body }) => ({ url: `amqp:${body}` }), driverParams: "url" },
  https: { endpoint: "http", config: ({ body }) => ({ url: `https:${body}` }), driverParams: "url" },
};

/** Stubs for every plugin that the workspace does not have, as a plugin that can be given by its path. */
export default { ...stubsPlugin({ opened }), schemes: SCHEMES };
