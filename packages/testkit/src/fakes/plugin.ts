import {
  API_VERSION,
  type ConfigSchema,
  type Consumer,
  defineEndpoint,
  definePlugin,
  type EndpointDefinition,
  type InputCapabilities,
  type MaybePromise,
  type OpenContext,
  type OutputCapabilities,
  type Plugin,
  type PluginDefinition,
  type Publisher,
} from "@mqb/core/plugin";

/** One endpoint of a `fakePlugin`. A side that is left out does not exist. */
export interface FakeEndpoint {
  readonly consumer?: Consumer | ((config: unknown, context: OpenContext) => MaybePromise<Consumer>);
  readonly publisher?: Publisher | ((config: unknown, context: OpenContext) => MaybePromise<Publisher>);
  /** Declared instead of the default: acknowledges, replies and has stable ids, in any order of commits. */
  readonly input?: Partial<InputCapabilities>;
  /** Declared instead of the default: acknowledges and replies. */
  readonly output?: Partial<OutputCapabilities>;
}

export const INPUT: InputCapabilities = {
  acknowledges: true,
  commitsInOrder: false,
  replies: true,
  stableIds: true,
  replayablePosition: false,
  bounded: true,
};
export const OUTPUT: OutputCapabilities = {
  acknowledges: true,
  replies: true,
  orderedPublish: false,
  idempotent: false,
};

/**
 * A plugin whose endpoints are the test's own consumers and publishers, to put fakes into a route:
 * `fakePlugin({ source: { consumer }, sink: { publisher } })`. Their configuration may be anything.
 */
export function fakePlugin(
  endpoints: Readonly<Record<string, FakeEndpoint>>,
  more: Partial<Omit<PluginDefinition, "endpoints">> = {},
): Plugin {
  const definitions = Object.entries(endpoints).map(([name, fake]) => [name, definition(fake)] as const);
  return definePlugin({
    name: "fake",
    apiVersion: API_VERSION,
    ...more,
    endpoints: Object.fromEntries(definitions),
  });
}

/** Takes any configuration as it is. */
export const ANY_CONFIG: ConfigSchema = {
  "~standard": { version: 1, vendor: "mqb-testkit", validate: (value) => ({ value }) },
};

function definition(fake: FakeEndpoint): EndpointDefinition {
  const { consumer, publisher } = fake;
  return defineEndpoint({
    description: "A fake of a test.",
    schema: ANY_CONFIG,
    ...(consumer && {
      input: {
        capabilities: () => ({ ...INPUT, ...fake.input }),
        open: (config, context) => (typeof consumer === "function" ? consumer(config, context) : consumer),
      },
    }),
    ...(publisher && {
      output: {
        capabilities: () => ({ ...OUTPUT, ...fake.output }),
        open: (config, context) => (typeof publisher === "function" ? publisher(config, context) : publisher),
      },
    }),
  });
}
