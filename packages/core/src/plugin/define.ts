import type { EndpointDefinition, MiddlewareDefinition } from "../contract/definition.ts";
import { PLUGIN_BRAND, type Plugin, type PluginDefinition } from "../contract/plugin.ts";

/** Declares a plugin; the default export of its package. Pure: nothing is registered or opened by it. */
export function definePlugin(definition: PluginDefinition): Plugin {
  return Object.freeze({ ...definition, [PLUGIN_BRAND]: true as const });
}

/** Declares one endpoint, with the type of its configuration taken from its schema. */
export function defineEndpoint<C>(definition: EndpointDefinition<C>): EndpointDefinition {
  return definition as EndpointDefinition;
}

/** Declares one middleware, with the type of its configuration taken from its schema. */
export function defineMiddleware<C>(definition: MiddlewareDefinition<C>): MiddlewareDefinition {
  return definition as MiddlewareDefinition;
}
