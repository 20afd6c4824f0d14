import { nearest, type Registry } from "@mqb/core";
import type { ConfigSchema, EndpointDefinition, MiddlewareDefinition, SchemeDefinition, Side } from "@mqb/core/plugin";
import type { Environment } from "../environment.ts";
import { configErrors } from "../errors.ts";
import type { UriShape } from "./fields.ts";
import { nestEndpoints } from "./nested.ts";
import { UriNesting } from "./nesting.ts";
import { matchParams, paramHint } from "./params.ts";
import { type ParsedUri, parseUri, type UriMiddleware } from "./parse.ts";
import { withoutSecretsOf } from "./secrets.ts";
import { unknownMiddleware, unknownScheme } from "./unknown.ts";

type Config = Record<string, unknown>;

/** Deeper than any configuration; a longer chain is an accident. */
const MAX_DEPTH = 32;

/**
 * The endpoint that a URI stands for, as a configuration would write it. With an environment, variables are put in. What
 * the scheme, the parameters and the middlewares are is known from the registry alone. Throws a `config` error that names
 * what was written; whether the values fit is left to the check of the route.
 */
export function endpointFromUri(uri: string, side: Side, registry: Registry, environment?: Environment): Config {
  const parsed = parseUri(uri, side, environment);
  return withoutSecretsOf(parsed.text, () => new UriReader(registry).endpoint(parsed, side));
}

/** Makes endpoints of parsed URIs. */
export class UriReader extends UriNesting {
  endpoint(uri: ParsedUri, side: Side): Config {
    const { type, config } = this.typed(uri, side);
    const middlewares = uri.middlewares.map((one) => this.middleware(one, side));
    return { [type]: config, ...(middlewares.length > 0 ? { middlewares } : {}) };
  }

  private typed(uri: ParsedUri, side: Side): { type: string; config: unknown } {
    const scheme = this.registry.scheme(uri.scheme)?.definition ?? ownScheme(uri, this.registry);
    const found = scheme && this.registry.endpoint(scheme.endpoint);
    if (!scheme || !found) throw unknownScheme(uri.scheme, this.registry);
    const config = scheme.ownParams
      ? scheme.config(uri, side)
      : withParams(scheme.config(uri, side), uri, scheme, this.shapes.of(found.definition.schema), found.name);
    return { type: found.name, config: this.nested(found.definition, config, side) };
  }

  private middleware({ name, params, query }: UriMiddleware, side: Side): Config {
    const custom = name === "custom" ? params.find(([key]) => key === "name")?.[1] : undefined;
    const found = this.registry.middleware(custom ?? name);
    if (!found) throw unknownMiddleware(custom ?? name, this.registry);
    const { definition } = found;
    const wrap = (config: unknown): Config => ({ [found.name]: this.nested(definition, config, side) });
    const shape = this.shapes.of(definition.schema);
    const own = custom === undefined ? params : params.filter(([key]) => key !== "name");
    if (shape.text && !(own.length > 0 && own.every(([key]) => shape.fields.has(key)))) {
      if (query === undefined || query === "") throw configErrors.URI_MIDDLEWARE_VALUE({ name });
      return wrap(query);
    }
    return wrap(matchParams(own, shape, { name, driver: false }).fields);
  }

  private nested(
    definition: { readonly schema: ConfigSchema } & Pick<EndpointDefinition | MiddlewareDefinition, "children">,
    config: unknown,
    side: Side,
  ): unknown {
    return nestEndpoints(definition, config, side, this.registry, (uri, childSide) => {
      const parsed = parseUri(uri, childSide);
      if (this.depth >= MAX_DEPTH) throw configErrors.URI_DEPTH({ max: MAX_DEPTH });
      return new UriReader(this.registry, this.shapes, this.depth + 1).endpoint(parsed, childSide);
    });
  }
}

/** An endpoint without a scheme of its own is reached by its name, and takes its fields as parameters. */
function ownScheme(uri: ParsedUri, registry: Registry): SchemeDefinition | undefined {
  const endpoint = [uri.scheme, uri.scheme.replaceAll("-", "_")].find((name) => registry.endpoint(name));
  if (endpoint === undefined) return undefined;
  if (uri.body.replaceAll("/", "") !== "") throw configErrors.URI_BODY({ scheme: uri.scheme });
  return { endpoint, config: () => ({}) };
}

function withParams(
  derived: Readonly<Config>,
  uri: ParsedUri,
  scheme: SchemeDefinition,
  shape: UriShape,
  owner: string,
): Config {
  if (uri.params.length === 0) return { ...derived };
  const urlField = scheme.driverParams;
  const { fields, left } = matchParams(uri.params, shape, { name: owner, driver: urlField !== undefined });
  const config: Config = { ...derived, ...fields };
  if (left.length === 0) return config;
  const names = [...shape.fields.keys()];
  // A slip in a field's name must not become a parameter of the driver, which may ignore it.
  const refused =
    urlField === undefined || urlField in fields
      ? left[0]
      : left.find(([name]) => name.length > 3 && !shape.fields.has(name) && nearest(name, names));
  if (refused) throw configErrors.URI_PARAM({ name: refused[0], owner, hint: paramHint(refused[0], shape) });
  return { ...config, [urlField!]: addToUrl(String(config[urlField!] ?? ""), left) };
}

function addToUrl(url: string, params: readonly (readonly [string, string])[]): string {
  const query = params.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
  return `${url}${url.includes("?") ? "&" : "?"}${query}`;
}

/** Half a surrogate pair, which no code stands for, becomes the sign for what cannot be read. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\uFFFD"));
}
