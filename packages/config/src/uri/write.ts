import { isDeepStrictEqual } from "node:util";
import type { Registry } from "@mqb/core";
import { type EndpointDefinition, isMap, isMqbError, type SchemeDefinition, type Side } from "@mqb/core/plugin";
import { exactJson } from "../exact.ts";
import { canonicalEndpoint, takeApart, type WrittenEndpoint, withoutNulls } from "./canonical.ts";
import { encodeBody, encodeQuery, encodeText, type Param } from "./encode.ts";
import { UriReader } from "./endpoint.ts";
import type { UriField } from "./fields.ts";
import { mapChildren } from "./nested.ts";
import { UriNesting } from "./nesting.ts";
import { parseUri } from "./parse.ts";

type Config = Record<string, unknown>;

const MAX_DEPTH = 16;

/**
 * The URI that stands for an endpoint as a configuration writes it, or undefined when it has none. What is returned was
 * parsed again and gives the same configuration, whatever the environment: `$` is written `%24`.
 */
export function toUri(endpoint: unknown, side: Side, registry: Registry): string | undefined {
  return new UriWriter(registry).write(endpoint, side);
}

class UriWriter extends UriNesting {
  write(endpoint: unknown, side: Side): string | undefined {
    const parts = this.depth > MAX_DEPTH ? undefined : takeApart(endpoint, side);
    const chain = parts && this.chain(parts.middlewares, side);
    if (!parts || chain === undefined) return undefined;
    const wanted = canonicalEndpoint(endpoint, side, this.registry);
    for (const head of this.heads(parts, side)) {
      const uri = head + chain;
      if (isDeepStrictEqual(this.read(uri, side), wanted)) return uri;
    }
    return undefined;
  }

  private read(uri: string, side: Side): unknown {
    const reader = new UriReader(this.registry, this.shapes);
    try {
      return canonicalEndpoint(reader.endpoint(parseUri(uri, side), side), side, this.registry);
    } catch (error) {
      if (isMqbError(error)) return undefined;
      throw error;
    }
  }

  /** URIs without middlewares that may stand for it, the most readable first. */
  private *heads({ type, config }: WrittenEndpoint, side: Side): Generator<string> {
    const found = this.registry.endpoint(type);
    if (!found) return;
    const written = this.withUris(found.definition, config, side);
    const names = this.registry.names("scheme").filter((name) => {
      const endpoint = this.registry.scheme(name)?.definition.endpoint;
      return endpoint !== undefined && this.registry.endpoint(endpoint)?.name === found.name;
    });
    const fields = this.shapes.of(found.definition.schema).fields;
    for (const name of names) yield* schemeHeads(name, this.registry.scheme(name)!.definition, written, fields, side);
    if (isMap(written) && !this.registry.scheme(found.name))
      yield `${found.name}:${encodeQuery(paramsOf(written, fields))}`;
  }

  private chain(middlewares: WrittenEndpoint["middlewares"], side: Side): string | undefined {
    let chain = "";
    for (const { name, config } of middlewares) {
      const found = this.registry.middleware(name);
      if (!found) return undefined;
      const written = this.withUris(found.definition, config, side);
      const { fields } = this.shapes.of(found.definition.schema);
      if (typeof written === "string") chain += `|${found.name}?${encodeText(written)}`;
      else if (isMap(written)) chain += `|${found.name}${encodeQuery(paramsOf(written, fields))}`;
      else return undefined;
    }
    return chain;
  }

  /** With nested endpoints as URIs; one that has none stays written out, as a JSON literal. */
  private withUris(definition: Pick<EndpointDefinition, "schema" | "children">, config: unknown, side: Side): unknown {
    const inner = new UriWriter(this.registry, this.shapes, this.depth + 1);
    return mapChildren(definition, config, side, (child, childSide) => inner.write(child, childSide) ?? child);
  }
}

function* schemeHeads(
  name: string,
  scheme: SchemeDefinition,
  config: unknown,
  fields: ReadonlyMap<string, UriField>,
  side: Side,
): Generator<string> {
  const own = scheme.uri?.(config, side);
  if (own) {
    const params = scheme.ownParams ? [] : fieldsBeside(scheme, { ...own, scheme: name }, config, fields, side);
    yield `${name}:${encodeBody(own.body)}${encodeQuery([...own.params, ...params])}`;
  }
  if (!isMap(config) || scheme.ownParams) return;
  const url = scheme.driverParams === undefined ? undefined : config[scheme.driverParams];
  if (typeof url === "string" && url.toLowerCase().startsWith(`${name}:`)) {
    const { [scheme.driverParams!]: _, ...rest } = config;
    const query = encodeQuery(paramsOf(rest, fields));
    // What stands in the URL already is encoded already, except for what the grammar takes for something else.
    const encoded = url.slice(name.length + 1).replace(/[|$]/g, encodeURIComponent);
    yield `${name}:${encoded}${encoded.includes("?") ? query.replace("?", "&") : query}`;
  }
  yield `${name}:${encodeQuery(paramsOf(config, fields))}`;
}

/** The fields that the URI of a scheme does not give by itself. */
function fieldsBeside(
  scheme: SchemeDefinition,
  uri: Parameters<SchemeDefinition["config"]>[0],
  config: unknown,
  fields: ReadonlyMap<string, UriField>,
  side: Side,
): Param[] {
  if (!isMap(config)) return [];
  const derived = derivedFrom(scheme, uri, side);
  const given = new Set(uri.params.map(([name]) => name));
  const rest = Object.entries(config).filter(
    ([name, value]) => !given.has(name) && !isDeepStrictEqual(derived[name], value),
  );
  return paramsOf(Object.fromEntries(rest), fields);
}

function derivedFrom(scheme: SchemeDefinition, uri: Parameters<SchemeDefinition["config"]>[0], side: Side): Config {
  try {
    return scheme.ownParams ? {} : { ...scheme.config(uri, side) };
  } catch (error) {
    if (isMqbError(error)) return {};
    throw error;
  }
}

/** Fields as parameters; members of a flat object one by one, since that reads better than JSON. */
function paramsOf(config: Config, fields: ReadonlyMap<string, UriField>): Param[] {
  return Object.entries(withoutNulls(config) as Config).flatMap(([name, value]): Param[] => {
    const field = fields.get(name);
    const members = isMap(value) ? Object.entries(value) : [];
    const isFlat = members.length > 0 && members.every(([key, member]) => isScalar(member) && hasMember(field, key));
    if (isFlat) return members.map(([key, member]): Param => [`${name}.${key}`, String(member)]);
    return [[name, isScalar(value) ? String(value) : exactJson(value)]];
  });
}

function hasMember(field: UriField | undefined, name: string): boolean {
  return field !== undefined && (field.members.has(name) || field.anyMember !== undefined);
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "bigint", "boolean"].includes(typeof value);
}
