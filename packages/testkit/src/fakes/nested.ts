import type {
  Consumer,
  EndpointDefinition,
  InputCapabilities,
  MiddlewareContext,
  MiddlewareDefinition,
  OpenContext,
  OutputCapabilities,
  Plugin,
  Publisher,
  Side,
} from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { checkConfig } from "./check-config.ts";

/** What an endpoint as written means, among the plugins that a test gives. */
interface Found {
  readonly definition: EndpointDefinition;
  readonly config: unknown;
  /** In written order. */
  readonly middlewares: readonly {
    readonly definition: MiddlewareDefinition;
    readonly config: unknown;
    readonly path: string;
  }[];
}

/** As `EndpointDefinition.pin`. */
export async function pin(plugins: readonly Plugin[], endpoint: unknown, context: OpenContext): Promise<void> {
  const { definition, config } = find(plugins, endpoint, "input", context.path);
  await definition.pin?.(config, context);
}

/** Opens an endpoint as written (`{ key: config, middlewares? }`) with its middlewares, the last written innermost. */
export async function openConsumer(
  plugins: readonly Plugin[],
  endpoint: unknown,
  context: MiddlewareContext<InputCapabilities>,
): Promise<Consumer> {
  const found = find(plugins, endpoint, "input", context.path);
  let consumer = await found.definition.input!.open(found.config, context);
  for (const { definition, config } of [...found.middlewares].reverse()) {
    consumer = await definition.input!(consumer, config, context);
  }
  return consumer;
}

/** Opens an endpoint as written with its middlewares, the last written outermost. */
export async function openPublisher(
  plugins: readonly Plugin[],
  endpoint: unknown,
  context: MiddlewareContext<OutputCapabilities>,
): Promise<Publisher> {
  const found = find(plugins, endpoint, "output", context.path);
  let publisher = await found.definition.output!.open(found.config, context);
  for (const { definition, config } of found.middlewares)
    publisher = await definition.output!(publisher, config, context);
  return publisher;
}

function find(plugins: readonly Plugin[], endpoint: unknown, side: Side, path: string): Found {
  const written: Record<string, unknown> = endpoint === null ? { null: {} } : Object(endpoint);
  const keys = Object.keys(written).filter((key) => key !== "middlewares");
  const [key] = keys;
  const definition = keys.length === 1 ? named(plugins, "endpoints", key!) : undefined;
  if (!definition) {
    const known = plugins.flatMap((plugin) => Object.keys(plugin.endpoints ?? {}));
    throw errors.UNKNOWN_ENDPOINT({ path, keys: keys.join(", ") || "(none)", known: known.join(", ") || "nothing" });
  }
  if (!definition[side]) throw errors.WRONG_SIDE({ path, key: key!, side });
  const list = (written["middlewares"] ?? []) as readonly unknown[];
  return {
    definition,
    config: checkConfig(definition.schema, written[key!] ?? {}, `${path}.${key}`),
    middlewares: list.map((entry, i) => middleware(plugins, entry, side, `${path}.middlewares[${i}]`)),
  };
}

function middleware(
  plugins: readonly Plugin[],
  entry: unknown,
  side: Side,
  path: string,
): Found["middlewares"][number] {
  const [key, raw] = typeof entry === "string" ? [entry, {}] : Object.entries(Object(entry))[0]!;
  const definition = named(plugins, "middlewares", key);
  if (!definition) throw errors.UNKNOWN_MIDDLEWARE({ path, key });
  if (!definition[side]) throw errors.WRONG_SIDE({ path, key, side });
  return { definition, config: checkConfig(definition.schema, raw ?? {}, `${path}.${key}`), path };
}

/** The definition under a name or alias. */
function named(plugins: readonly Plugin[], table: "endpoints", name: string): EndpointDefinition | undefined;
function named(plugins: readonly Plugin[], table: "middlewares", name: string): MiddlewareDefinition | undefined;
function named(
  plugins: readonly Plugin[],
  table: "endpoints" | "middlewares",
  name: string,
): EndpointDefinition | MiddlewareDefinition | undefined {
  for (const plugin of plugins) {
    const definitions: Readonly<Record<string, EndpointDefinition | MiddlewareDefinition>> = plugin[table] ?? {};
    for (const [key, definition] of Object.entries(definitions)) {
      if (key === name || definition.aliases?.includes(name)) return definition;
    }
  }
  return undefined;
}
