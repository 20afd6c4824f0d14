import type { ResolvedEndpoint, RoutePlan } from "@mqb/core";
import { isMap, type Side } from "@mqb/core/plugin";
import type { Path } from "../document/place.ts";
import { entryOf, type Field, memberOf, membersMarked } from "../fields/field.ts";
import type { Schemas } from "../fields/schemas.ts";

/** A route that could start, as lints look at it. */
export interface Subject {
  readonly name: string;
  readonly plan: RoutePlan;
  /** Every endpoint of the route, those nested in others and in middlewares included; the outer ones first. */
  readonly endpoints: readonly EndpointPart[];
  /** All of them and their middlewares. */
  readonly parts: readonly Part[];
}

/** One endpoint or middleware of a route. */
export interface Part {
  readonly name: string;
  readonly side: Side;
  /** Where its configuration stands, from the route. */
  readonly path: Path;
  /** Checked, with its defaults. */
  readonly config: unknown;
  /** As written; undefined when it is not written in the route itself, as behind a `ref`. */
  readonly written: unknown;
  readonly field: Field;
  /** Every value of it as written that is no map and no list and whose field is known; found once for all lints. */
  readonly leaves: readonly Leaf[];
}

export interface EndpointPart extends Part {
  readonly endpoint: ResolvedEndpoint;
  /** In written order: the last one handles a message first. */
  readonly middlewares: readonly Part[];
  /** The endpoint that a middleware with this one inside stands at. */
  readonly servedBy?: EndpointPart;
}

/** A value somewhere in a configuration as written, with what its schema says. */
export interface Leaf {
  /** From the part's configuration. */
  readonly path: Path;
  readonly value: unknown;
  readonly field: Field;
  /** Marks of the field and of everything around it. */
  readonly marks: Readonly<Record<string, unknown>>;
}

export function subjectOf(
  { name, config, plan }: { readonly name: string; readonly config: unknown; readonly plan: RoutePlan },
  schemas: Schemas,
): Subject {
  const endpoints: EndpointPart[] = [];
  const add = (endpoint: ResolvedEndpoint, servedBy?: EndpointPart): void => {
    const part = endpointPart(endpoint, config, schemas);
    endpoints.push(servedBy ? { ...part, servedBy } : part);
    const ofMiddlewares = new Set(endpoint.middlewares.flatMap((one) => one.children));
    for (const child of endpoint.children) add(child, ofMiddlewares.has(child) ? part : undefined);
  };
  add(plan.input);
  add(plan.output);
  return { name, plan, endpoints, parts: endpoints.flatMap((one): Part[] => [one, ...one.middlewares]) };
}

function endpointPart(endpoint: ResolvedEndpoint, route: unknown, schemas: Schemas): EndpointPart {
  const { type, side, config, configPath, definition, middlewares } = endpoint;
  const part = (name: string, path: Path, value: unknown, schema: Parameters<Schemas["of"]>[0]): Part => {
    const written = writtenAt(route, path);
    const field = schemas.field(schema);
    return { name, side, path, config: value, written, field, leaves: leavesIn(written, field) };
  };
  return {
    ...part(type, configPath, config, definition.schema),
    endpoint,
    middlewares: middlewares.map((one) => part(one.name, one.path, one.config, one.definition.schema)),
  };
}

function writtenAt(route: unknown, path: Path): unknown {
  return path.reduce<unknown>((node, key) => {
    if (Array.isArray(node)) return node[Number(key)] as unknown;
    return isMap(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  }, route);
}

/** Every value of a part that is no map and no list and whose field is known; not those of endpoints nested in it. */
export function leavesOf({ leaves }: Part): readonly Leaf[] {
  return leaves;
}

function leavesIn(written: unknown, field: Field): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (value: unknown, of: Field, path: Path, outer: Leaf["marks"]): void => {
    if (of.marks["endpoint"] !== undefined) return;
    const entries = Array.isArray(value) ? [...value.entries()] : isMap(value) ? Object.entries(value) : undefined;
    const own = entries ? marksOfMembers(of) : of.marks;
    const marks = outer === NO_MARKS ? own : { ...outer, ...own };
    if (!entries) {
      if (value !== undefined && value !== null) leaves.push({ path, value, field: of, marks });
      return;
    }
    for (const [key, member] of entries) {
      const known = typeof key === "number" ? entryOf(of, key) : memberOf(of, key);
      if (known) visit(member, known, [...path, key], marks);
    }
  };
  visit(written, field, [], NO_MARKS);
  return leaves;
}

const NO_MARKS: Leaf["marks"] = {};

/** Without those of a bare text that may stand for the whole. */
function marksOfMembers({ marks, options }: Field): Leaf["marks"] {
  if (!options.some((option) => option.type === "string")) return marks;
  const ofText = options.filter((option) => option.type === "string").flatMap((option) => Object.keys(option));
  return Object.fromEntries(Object.entries(marks).filter(([name]) => !ofText.includes(`x-mqb-${name}`)));
}

/** The value of one field of a checked configuration. */
export function settingOf({ config }: Part, name: string): unknown {
  return isMap(config) ? config[name] : undefined;
}

/** The fields whose schema has `x-mqb-<mark>`. */
export function fieldsMarked({ field }: Part, mark: string): string[] {
  return membersMarked(field, mark).map(([member]) => member);
}

/** What a definition says of itself under `x-mqb-<name>`, at the root of its schema. */
export function factOf<T>(part: Part, name: string): T | undefined {
  return part.field.marks[name] as T | undefined;
}
