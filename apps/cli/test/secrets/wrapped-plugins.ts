import {
  batchOf,
  type Consumer,
  definePlugin,
  type EndpointDefinition,
  type EndpointStatus,
  isMap,
  Message,
  type OpenContext,
  type Plugin,
  type ProbeContext,
  type Publisher,
} from "@mqb/core/plugin";

/** The command depends on none of them: they are named by their place in the workspace. */
async function endpointOf(name: string): Promise<EndpointDefinition> {
  const path = new URL(`../../../../plugins/${name}/src/index.ts`, import.meta.url).href;
  const plugin = (await import(path)) as { default: Plugin };
  return plugin.default.endpoints![name] as EndpointDefinition;
}

/** Where a wrapped endpoint fails. */
export const PLACES = ["open", "receive", "commit", "send", "flush", "status", "close", "probe"] as const;
export type FailingPlace = (typeof PLACES)[number];

const fails = (place: FailingPlace): boolean => process.env["WRAPPED_FAILS"] === place;

/** What a driver may say that quotes what it was given, in every way in which that can be done. */
function failure(place: FailingPlace, config: unknown, { log }: Pick<OpenContext, "log">): Error {
  const all = texts(config);
  const message = `a failing ${place} of ${JSON.stringify(config)} with ${all.join(", ")}`;
  for (const level of ["debug", "info", "warn", "error"] as const) {
    log[level](message, { config, all, error: new Error(message, { cause: config }) });
    log[level](`${all.map(encodeURIComponent).join("&")} ${all.map((text) => JSON.stringify(text)).join()}`);
  }
  const cause = Object.assign(new AggregateError([new Error(all.join("\n"))], message), { config, sasl: config });
  return Object.assign(new Error(message, { cause }), { code: "EFAILED", options: config });
}

/** Fails once: what is tried again then goes well, and the run ends. A status fails always. */
function throwIf(place: FailingPlace, config: unknown, context: Pick<OpenContext, "log" | "session">): void {
  if (!fails(place) || (place !== "status" && context.session.has("failed"))) return;
  context.session.set("failed", true);
  throw failure(place, config, context);
}

function statusOf(config: unknown, context: OpenContext): EndpointStatus {
  throwIf("status", config, context);
  const said = texts(config).join(" ");
  return { healthy: false, target: JSON.stringify(config), error: said, details: { config, said } };
}

function consumerOf(config: unknown, context: OpenContext): Consumer {
  throwIf("open", config, context);
  let given = 0;
  return {
    async receive(_max, signal) {
      throwIf("receive", config, context);
      given += 1;
      if (given > 1 && !context.draining)
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener("abort", () => resolve(), { once: true });
        });
      const batch = batchOf(given === 1 ? [new Message("a")] : []);
      return { batch, commit: async () => throwIf("commit", config, context) };
    },
    close: async () => throwIf("close", config, context),
    status: () => statusOf(config, context),
  };
}

function publisherOf(config: unknown, context: OpenContext): Publisher {
  throwIf("open", config, context);
  return {
    async send() {
      throwIf("send", config, context);
      return undefined;
    },
    flush: async () => throwIf("flush", config, context),
    close: async () => throwIf("close", config, context),
    status: () => statusOf(config, context),
  };
}

/** Schema, aliases, checks and capabilities of the real endpoint around ends that fail. */
function wrapped(real: EndpointDefinition): EndpointDefinition {
  const { input, output, ...rest } = real;
  return {
    ...rest,
    async probe(config: unknown, context: ProbeContext) {
      throw failure("probe", config, context);
    },
    ...(input ? { input: { ...input, open: async (config, context) => consumerOf(config, context) } } : {}),
    ...(output ? { output: { ...output, open: async (config, context) => publisherOf(config, context) } } : {}),
  } as EndpointDefinition;
}

/** Every text in a value, as it is. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(texts);
  return isMap(value) ? Object.values(value).flatMap(texts) : [];
}

const REAL: Readonly<Record<string, EndpointDefinition>> = {
  kafka: await endpointOf("kafka"),
  nats: await endpointOf("nats"),
  http: await endpointOf("http"),
};

export default definePlugin({
  name: "wrapped",
  apiVersion: 1,
  endpoints: Object.fromEntries(Object.entries(REAL).map(([name, real]) => [`wrapped_${name}`, wrapped(real)])),
});
