import { createRegistry, type Registry, type RegistryOptions } from "@mqb/core";
import { API_VERSION, definePlugin, type Plugin, type SchemeDefinition } from "@mqb/core/plugin";
import { type EndpointFactory, type EndpointOptions, endpointOf } from "./endpoint.ts";
import { type MiddlewareFactory, type MiddlewareOptions, middlewareOf } from "./middleware.ts";

/**
 * A registry that takes endpoints and middlewares made of functions, beside those of plugins. They are used by their name, as
 * `{ shelf: config }` or `{ custom: { name: "shelf", config } }`; an endpoint also as a URI, whose scheme is its name. Routes
 * that were made before see nothing of a change.
 */
export interface CodeRegistry extends Registry {
  /** Throws a TypeError when the factory is no function, a `config` error when the name is taken; the first one stays. */
  registerEndpoint<Config = unknown>(name: string, factory: EndpointFactory<Config>, options?: EndpointOptions): void;
  registerMiddleware<Config = unknown>(
    name: string,
    factory: MiddlewareFactory<Config>,
    options?: MiddlewareOptions,
  ): void;
  /** Returns whether there was one that was registered by `registerEndpoint`. */
  unregisterEndpoint(name: string): boolean;
  unregisterMiddleware(name: string): boolean;
}

/** As `createRegistry` of `@mqb/core`. */
export function createCodeRegistry(plugins: readonly unknown[] = [], options: RegistryOptions = {}): CodeRegistry {
  const endpoints = new Map<string, Plugin>();
  const middlewares = new Map<string, Plugin>();
  const build = (more?: Plugin): Registry =>
    createRegistry([...plugins, ...endpoints.values(), ...middlewares.values(), ...(more ? [more] : [])], options);
  let current = build();

  const add = (to: Map<string, Plugin>, name: string, plugin: Plugin): void => {
    current = build(plugin);
    to.set(name, plugin);
  };
  const remove = (from: Map<string, Plugin>, name: string): boolean => {
    const there = from.delete(name);
    if (there) current = build();
    return there;
  };

  return {
    get plugins() {
      return current.plugins;
    },
    get expressions() {
      return current.expressions;
    },
    endpoint: (name) => current.endpoint(name),
    middleware: (name) => current.middleware(name),
    store: (scheme) => current.store(scheme),
    service: (name) => current.service(name),
    scheme: (name) => current.scheme(name),
    names: (what) => current.names(what),
    packageFor: (what, name) => current.packageFor(what, name),
    registerEndpoint(name, factory, made) {
      mustBeFunction("registerEndpoint", name, factory);
      const definition = endpointOf(name, factory as EndpointFactory, made);
      // Names that no URI can begin with are only known by their key.
      const schemes = /^[a-z][a-z0-9+.-]*$/.test(name) ? { [name]: schemeOf(name) } : {};
      add(endpoints, name, pluginOf("registerEndpoint", name, { endpoints: { [name]: definition }, schemes }));
    },
    registerMiddleware(name, factory, options) {
      mustBeFunction("registerMiddleware", name, factory);
      const definition = middlewareOf(name, factory as MiddlewareFactory, options);
      add(middlewares, name, pluginOf("registerMiddleware", name, { middlewares: { [name]: definition } }));
    },
    unregisterEndpoint: (name) => remove(endpoints, name),
    unregisterMiddleware: (name) => remove(middlewares, name),
  };
}

function pluginOf(how: string, name: string, parts: Partial<Plugin>): Plugin {
  return definePlugin({ name: `${how}("${name}")`, apiVersion: API_VERSION, ...parts });
}

/** `shelf://letters?size=3` is `{ url: "shelf://letters", size: "3" }`. */
function schemeOf(name: string): SchemeDefinition {
  return {
    endpoint: name,
    ownParams: true,
    config: ({ scheme, body, params }) => ({
      ...(body === "" || body === "//" ? {} : { url: `${scheme}:${body}` }),
      ...Object.fromEntries(params),
    }),
  };
}

function mustBeFunction(how: string, name: string, factory: unknown): void {
  if (typeof factory !== "function") throw new TypeError(`${how}("${name}") needs a function, not ${typeof factory}`);
}
