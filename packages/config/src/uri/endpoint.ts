import { nearest, type Registry, suggest } from "@mqb/core";
import type { ConfigSchema, EndpointDefinition, MiddlewareDefinition, SchemeDefinition, Side } from "@mqb/core/plugin";
import type { Environment } from "../environment.ts";
import { configErrors } from "../errors.ts";
import { knownNames } from "../known-packages.ts";
import { convertParam, shapeOf, type UriShape } from "./fields.ts";
import { nestEndpoints } from "./nested.ts";
import { type ParsedUri, parseUri, type UriMiddleware } from "./parse.ts";

type Config = Record<string, unknown>;

/**
 * The endpoint that a URI stands for, as a configuration would write it. With an environment, variables are put in. What
 * the scheme, the parameters and the middlewares are is known from the registry alone. Throws a `config` error that names
 * what was written; whether the values fit is left to the check of the route.
 */
export function endpointFromUri(uri: string, side: Side, registry: Registry, environment?: Environment): Config {
  const parsed = parseUri(uri, side, environment);
  const { type, config } = endpointConfig(parsed, side, registry);
  const middlewares = parsed.middlewares.map((one) => middlewareConfig(one, side, registry));
  return { [type]: config, ...(middlewares.length > 0 ? { middlewares } : {}) };
}

function endpointConfig(uri: ParsedUri, side: Side, registry: Registry): { type: string; config: unknown } {
  const scheme = registry.scheme(uri.scheme)?.definition ?? ownScheme(uri, registry);
  if (!scheme) throw unknownScheme(uri.scheme, registry);
  const found = registry.endpoint(scheme.endpoint);
  if (!found) throw unknownScheme(uri.scheme, registry);
  const derived = scheme.config(uri, side);
  // With parameters of its own an endpoint may be configured by a list (`fanout`) or a text as well.
  const config = scheme.ownParams ? derived : withParams(derived, uri, scheme, found.definition, found.name);
  return { type: found.name, config: nested(found.definition, config, side, registry) };
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
  definition: EndpointDefinition,
  owner: string,
): Config {
  if (uri.params.length === 0) return { ...derived };
  const shape = shapeOf(definition.schema);
  const { fields, left } = matchParams(uri.params, shape, owner, scheme.driverParams !== undefined);
  const config: Config = { ...derived, ...fields };
  if (left.length === 0) return config;
  const urlField = scheme.driverParams;
  const names = [...shape.fields.keys()];
  // A slip in a field's name must not become a parameter of the driver, which may ignore it.
  const refused =
    urlField === undefined || urlField in fields
      ? left[0]
      : left.find(([name]) => name.length > 3 && !shape.fields.has(name) && nearest(name, names));
  if (refused) throw configErrors.URI_PARAM({ name: refused[0], owner, hint: paramHint(refused[0], names) });
  return { ...config, [urlField!]: addToUrl(String(config[urlField!] ?? ""), left) };
}

function middlewareConfig(written: UriMiddleware, side: Side, registry: Registry): Config {
  const { name, params, query } = written;
  const custom = name === "custom" ? params.find(([key]) => key === "name")?.[1] : undefined;
  const found = registry.middleware(custom ?? name);
  if (!found) throw unknownMiddleware(custom ?? name, registry);
  const { definition } = found;
  const wrap = (config: unknown): Config => ({ [found.name]: nested(definition, config, side, registry) });
  const shape = shapeOf(definition.schema);
  const own = custom === undefined ? params : params.filter(([key]) => key !== "name");
  if (shape.text && !(own.length > 0 && own.every(([key]) => shape.fields.has(key)))) {
    if (query === undefined || query === "") throw configErrors.URI_MIDDLEWARE_VALUE({ name });
    return wrap(query);
  }
  return wrap(matchParams(own, shape, name, false).fields);
}

/** Parameters as fields; `left` are those that a driver may take: no field, or an object field without a JSON literal. */
function matchParams(
  params: ParsedUri["params"],
  shape: UriShape,
  owner: string,
  driver: boolean,
): { fields: Config; left: (readonly [string, string])[] } {
  const fields: Config = {};
  const left: (readonly [string, string])[] = [];
  for (const [name, text] of params) {
    const field = shape.fields.get(name);
    if (!field) {
      if (!driver) throw configErrors.URI_PARAM({ name, owner, hint: paramHint(name, [...shape.fields.keys()]) });
      left.push([name, text]);
      continue;
    }
    if (Object.hasOwn(fields, name)) throw configErrors.URI_REPEATED({ name, owner });
    const converted = convertParam(text, field);
    if ("value" in converted) fields[name] = converted.value;
    else if (driver) left.push([name, text]);
    else throw configErrors.URI_JSON({ name, owner, kind: converted.json });
  }
  return { fields, left };
}

function nested(
  definition: { readonly schema: ConfigSchema } & Pick<EndpointDefinition | MiddlewareDefinition, "children">,
  config: unknown,
  side: Side,
  registry: Registry,
): unknown {
  return nestEndpoints(definition, config, side, (uri, childSide) => endpointFromUri(uri, childSide, registry));
}

function addToUrl(url: string, params: readonly (readonly [string, string])[]): string {
  const query = params.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return `${url}${url.includes("?") ? "&" : "?"}${query}`;
}

function paramHint(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const list = `it takes: ${known.join(", ") || "no params"}`;
  return near === undefined ? list : `did you mean "${near}"? ${list}`;
}

function unknownScheme(scheme: string, registry: Registry): Error {
  const install = registry.packageFor("scheme", scheme) ?? registry.packageFor("endpoint", scheme.replaceAll("-", "_"));
  const known = registry.names("scheme");
  const near = nearest(scheme, [...known, ...knownNames("scheme")]);
  const hint = install
    ? `install ${install}`
    : `${near === undefined ? "" : `did you mean "${near}:"? `}known schemes: ${known.join(", ") || "none"}`;
  return configErrors.URI_SCHEME({ scheme, hint, install: install !== undefined });
}

function unknownMiddleware(name: string, registry: Registry): Error {
  const install = registry.packageFor("middleware", name);
  const hint = install ? `install ${install}` : `${suggest(name, registry.names("middleware"))}`;
  return configErrors.URI_MIDDLEWARE({ name, hint, install: install !== undefined });
}
