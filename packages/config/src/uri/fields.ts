import { type ConfigSchema, type JsonSchema, jsonSchemaOf } from "@mqb/core/plugin";
import { alternatives, typesOf } from "../json-schema.ts";

/** What a field of a configuration takes, as far as a URI parameter is concerned. */
export interface UriField {
  /** JSON types; empty = anything. */
  readonly types: ReadonlySet<string>;
  /** The texts it takes when it takes only certain ones. */
  readonly choices: readonly string[];
  /** Members by name, of a field that takes an object. */
  readonly members: ReadonlyMap<string, UriField>;
  /** Members of any name. */
  readonly anyMember?: UriField;
  /** A value that fits, for messages. */
  readonly example?: unknown;
}

/** What a whole configuration takes: named fields, or (also) a plain text. */
export interface UriShape {
  readonly fields: ReadonlyMap<string, UriField>;
  readonly text: boolean;
}

/** Schemas may contain themselves; a parameter reaches no deeper than this. */
const MAX_DEPTH = 6;

/** The shapes of definitions' schemas. To make a JSON Schema takes longer than all the rest, so each is looked at once. */
export class UriShapes {
  private readonly known = new Map<ConfigSchema, UriShape>();

  of(schema: ConfigSchema): UriShape {
    const known = this.known.get(schema);
    if (known) return known;
    const shape = shapeOf(schema);
    this.known.set(schema, shape);
    return shape;
  }
}

function shapeOf(schema: ConfigSchema): UriShape {
  const root = jsonSchemaOf(schema) ?? {};
  const { types, members } = fieldOf(root, root, 0);
  return { fields: members, text: types.has("string") };
}

function fieldOf(schema: JsonSchema, root: JsonSchema, depth: number): UriField {
  const types = new Set<string>();
  const choices: string[] = [];
  const members = new Map<string, UriField>();
  let anyMember: UriField | undefined;
  let isFree = false;
  let isAnything = false;
  for (const option of alternatives(schema, root)) {
    const own = typesOf(option);
    if (own.length === 0) isAnything = true;
    for (const type of own) types.add(type);
    const listed = option.enum ?? ("const" in option ? [option["const"]] : undefined);
    if (listed) choices.push(...listed.filter((one): one is string => typeof one === "string"));
    else if (own.includes("string")) isFree = true;
    if (depth >= MAX_DEPTH) continue;
    for (const [name, member] of Object.entries(option.properties ?? {})) {
      if (!members.has(name)) members.set(name, fieldOf(member, root, depth + 1));
    }
    const others = option["additionalProperties"];
    if (typeof others === "object" && others !== null) anyMember ??= fieldOf(others as JsonSchema, root, depth + 1);
  }
  const example = exampleOf(schema);
  return {
    types: isAnything ? new Set() : types,
    choices: isFree || isAnything ? [] : choices,
    members,
    ...(anyMember ? { anyMember } : {}),
    ...(example === undefined ? {} : { example }),
  };
}

function exampleOf(schema: JsonSchema): unknown {
  const examples = schema["examples"];
  return Array.isArray(examples) ? (examples[0] as unknown) : undefined;
}
