import type { JsonSchema } from "@mqb/core/plugin";
import { alternatives, isMarked, typesOf } from "../json-schema.ts";

const MARK = "x-mqb-";
const MOST_INNER = 1000;

/** What a place in a configuration takes, by its schema. */
export interface Field {
  /** The schemas that a value may follow. */
  readonly options: readonly JsonSchema[];
  /** The document that their references point into. */
  readonly root: JsonSchema;
  /** JSON types; empty = anything. */
  readonly types: ReadonlySet<string>;
  /** The texts that it takes; empty = no text or any. */
  readonly choices: readonly string[];
  readonly isSecret: boolean;
  /** What the schema says of it under `x-mqb-…`, by the name after that. */
  readonly marks: Readonly<Record<string, unknown>>;
  /** What it is when it is not written; undefined = nothing. */
  readonly fallback: unknown;
  /** Members and entries that were asked for: many routes ask for the same ones. */
  readonly inner: Map<string, Field | undefined>;
  /** What `membersMarked` has found: it is asked for each endpoint. */
  readonly marked: Map<string, readonly Marked[]>;
}

/** A member whose schema has a mark, and the mark. */
export type Marked = readonly [member: string, mark: unknown];

export function fieldOf(schema: JsonSchema, root: JsonSchema, isSecret = false): Field {
  const options = alternatives(schema, root);
  const types = new Set<string>();
  const choices: string[] = [];
  let takesAnyText = false;
  let takesAnything = options.length === 0;
  for (const option of options) {
    const own = typesOf(option);
    if (own.length === 0) takesAnything = true;
    for (const type of own) types.add(type);
    const listed = option.enum ?? ("const" in option ? [option["const"]] : undefined);
    if (listed) choices.push(...listed.filter((one): one is string => typeof one === "string"));
    else if (own.includes("string")) takesAnyText = true;
  }
  return {
    options,
    root,
    types: takesAnything ? new Set() : types,
    choices: takesAnyText || takesAnything ? [] : choices,
    // A reference may carry the mark beside it.
    isSecret: isSecret || isMarked(schema) || options.some(isMarked),
    marks: marksOf([...options, schema]),
    fallback: schema.default ?? options.find((option) => option.default !== undefined)?.default,
    inner: new Map(),
    marked: new Map(),
  };
}

/** The field of a member of a map; undefined when no schema knows it. */
export function memberOf(field: Field, key: string): Field | undefined {
  return known(field, `.${key}`, () => makeMember(field, key));
}

function makeMember(field: Field, key: string): Field | undefined {
  const schemas: JsonSchema[] = [];
  for (const option of field.options) {
    const own = option.properties && Object.hasOwn(option.properties, key) ? option.properties[key] : undefined;
    const others = option["additionalProperties"];
    if (own) schemas.push(own);
    else if (typeof others === "object" && others !== null) schemas.push(others as JsonSchema);
  }
  return together(schemas, field);
}

/** The field of the entries of a list. */
export function entryOf(field: Field, index: number): Field | undefined {
  const hasPositions = field.options.some((option) => option["prefixItems"] !== undefined);
  return known(field, hasPositions ? String(index) : "", () => makeEntry(field, index));
}

function makeEntry(field: Field, index: number): Field | undefined {
  const schemas = field.options.flatMap((option): readonly JsonSchema[] => {
    const prefix = option["prefixItems"] as readonly JsonSchema[] | undefined;
    const entry = prefix?.[index] ?? option.items;
    return entry ? [entry] : [];
  });
  return together(schemas, field);
}

/** Members with a name of their own. */
export function membersOf(field: Field): string[] {
  return [...new Set(field.options.flatMap((option) => Object.keys(option.properties ?? {})))];
}

/** Members that their schema marks with `x-mqb-<name>`. */
export function membersMarked({ options, marked }: Field, name: string): readonly Marked[] {
  let found = marked.get(name);
  if (!found) {
    const members = options.flatMap((option) => Object.entries(option.properties ?? {}));
    found = members.flatMap(([member, schema]): Marked[] => {
      const mark = schema[MARK + name];
      return mark === undefined ? [] : [[member, mark]];
    });
    marked.set(name, found);
  }
  return found;
}

function known({ inner }: Field, key: string, make: () => Field | undefined): Field | undefined {
  // Members of any name would fill the memory of a long-running host.
  if (inner.has(key) || inner.size > MOST_INNER) return inner.has(key) ? inner.get(key) : make();
  const made = make();
  inner.set(key, made);
  return made;
}

function together(schemas: readonly JsonSchema[], { root, isSecret }: Field): Field | undefined {
  const [first, ...others] = schemas;
  if (!first) return undefined;
  return fieldOf(others.length === 0 ? first : { anyOf: schemas }, root, isSecret);
}

function marksOf(schemas: readonly JsonSchema[]): Readonly<Record<string, unknown>> {
  const own = schemas.flatMap((schema) => Object.entries(schema).filter(([key]) => key.startsWith(MARK)));
  return Object.fromEntries(own.map(([key, value]) => [key.slice(MARK.length), value]));
}
