import { type Bridge, createBridge, createRegistry, type Handler, type Route } from "@mqb/core";
import {
  type Consumer,
  type EndpointDefinition,
  type OpenContext,
  PLUGIN_BRAND,
  type Plugin,
  type PluginDefinition,
  type Publisher,
  type RouteConfig,
  type Side,
} from "@mqb/core/plugin";
import type { RecordingLogger } from "../fakes/logger.ts";
import { fakePlugin } from "../fakes/plugin.ts";
import type { FakeScope } from "../fakes/scope.ts";
import type { ConnectorUnderTest, Place } from "./types.ts";

type Options = Omit<RouteConfig, "input" | "output">;

export interface RouteFromInput extends Options {
  /** Middlewares of the input, as written. */
  readonly middlewares?: readonly unknown[];
  /** Instead of the place's own configuration. */
  readonly config?: unknown;
  readonly handler?: Handler;
}

/** Runs the tested endpoint in a route whose other end is a fake. */
export class RouteLab {
  /** How often the tested endpoint was opened by routes. */
  openings = 0;
  private readonly tested: ConnectorUnderTest;
  private readonly place: Place;
  private readonly scope: FakeScope;
  private readonly log: RecordingLogger;
  private readonly sessions: Readonly<Record<Side, Map<string, unknown>>>;
  private readonly bridges: Bridge[] = [];

  constructor(
    tested: ConnectorUnderTest,
    place: Place,
    scope: FakeScope,
    log: RecordingLogger,
    sessions: Readonly<Record<Side, Map<string, unknown>>>,
  ) {
    this.tested = tested;
    this.place = place;
    this.scope = scope;
    this.log = log;
    this.sessions = sessions;
  }

  /** A route from the tested source into a fake sink. */
  from(sink: Publisher, options: RouteFromInput = {}, more: Partial<PluginDefinition> = {}): Route {
    const { middlewares, config = this.place.input, handler, ...rest } = options;
    const route = {
      ...rest,
      input: { [this.tested.endpoint]: config, ...(middlewares && { middlewares }) },
      output: { testkit_sink: {} },
    };
    const bridge = this.bridge(fakePlugin({ testkit_sink: { publisher: () => sink } }, more));
    return bridge.route("test", route, handler ? { handler } : {});
  }

  /** A route from a fake source into the tested sink. */
  into(source: Consumer, options: Options & { readonly config?: unknown } = {}): Route {
    const { config = this.place.output, ...rest } = options;
    const input = { commitsInOrder: true, bounded: true, positions: true };
    return this.bridge(fakePlugin({ testkit_source: { consumer: () => source, input } })).route("test", {
      ...rest,
      input: { testkit_source: {} },
      output: { [this.tested.endpoint]: config },
    });
  }

  async stop(): Promise<void> {
    for (const bridge of this.bridges) await bridge.stop({ graceMs: 0 });
  }

  private bridge(fakes: Plugin): Bridge {
    const { plugin, plugins = [] } = this.tested;
    const registry = createRegistry([this.scoped(plugin), ...plugins.map((one) => this.scoped(one)), fakes]);
    const bridge = createBridge({ registry, log: this.log });
    this.bridges.push(bridge);
    return bridge;
  }

  /**
   * The plugin with endpoints that see the test's own scope and session, so that what a test has opened directly and
   * what runs in its routes meet in the same process-wide topics.
   */
  private scoped(plugin: Plugin): Plugin {
    const endpoints = Object.entries(plugin.endpoints ?? {}).map(([name, definition]) => {
      const { input, output } = definition;
      const scoped: EndpointDefinition = {
        ...definition,
        ...(input && {
          input: { ...input, open: (config, context) => input.open(config, this.opening(name, context)) },
        }),
        ...(output && {
          output: { ...output, open: (config, context) => output.open(config, this.opening(name, context)) },
        }),
      };
      return [name, scoped] as const;
    });
    return Object.freeze({ ...plugin, endpoints: Object.fromEntries(endpoints), [PLUGIN_BRAND]: true as const });
  }

  private opening(endpoint: string, context: OpenContext): OpenContext {
    if (endpoint === this.tested.endpoint) this.openings++;
    const own = context.path === context.side ? this.sessions[context.side] : context.session;
    return {
      ...context,
      session: own,
      local: (key, make) => this.scope.local(key, make),
      share: (key, make, dispose) => this.scope.share(key, make, dispose),
    };
  }
}
