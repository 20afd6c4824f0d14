import type { Consumer, MiddlewareDefinition, Plugin, Publisher } from "@mqb/core/plugin";
import { definePlugin } from "@mqb/core/plugin";

/** The same plugin, whose middlewares note in `seen` when a message reaches them. */
export function traced(plugin: Plugin, seen: string[]): Plugin {
  const { middlewares = {} } = plugin;
  const watched = Object.entries(middlewares).map(
    ([name, definition]) => [name, watch(name, definition, seen)] as const,
  );
  return definePlugin({ ...plugin, middlewares: Object.fromEntries(watched) });
}

/** From below on an input, from above on an output: the way that messages go. */
function watch(name: string, definition: MiddlewareDefinition, seen: string[]): MiddlewareDefinition {
  const { input, output, ...rest } = definition;
  return {
    ...rest,
    ...(input && {
      input: (inner, config, context) => input.call(definition, received(name, inner, seen), config, context),
    }),
    ...(output && {
      output: async (inner, config, context) => sent(name, await output.call(definition, inner, config, context), seen),
    }),
  };
}

function received(name: string, inner: Consumer, seen: string[]): Consumer {
  return {
    async receive(max, signal) {
      const delivery = await inner.receive(max, signal);
      if (delivery.batch.length > 0) seen.push(name);
      return delivery;
    },
    close: () => inner.close(),
    status: () => inner.status?.() ?? { healthy: true, target: "" },
  };
}

function sent(name: string, own: Publisher, seen: string[]): Publisher {
  return {
    send(batch, signal) {
      seen.push(name);
      return own.send(batch, signal);
    },
    flush: async () => own.flush?.(),
    close: () => own.close(),
    status: () => own.status?.() ?? { healthy: true, target: "" },
  };
}
