import * as z from "zod";

/**
 * A configuration's shape in short: `!` = required, `[x]` = a list, `{x}` = a map of texts to it, `a|b` = one of these
 * words, `in`, `out` = an endpoint, another name of `BLOCKS` = what is said there, nothing = a text. Behind it: `@template`,
 * `@file`, and `@input`, `@output` for what works on one side.
 * Fields: `url! port:int tls:tls mode:fast|slow key@template`.
 */
export type Shape = string;

export type Node =
  | { readonly kind: "value"; readonly schema: z.ZodType }
  | { readonly kind: "endpoint"; readonly side: "input" | "output" }
  | { readonly kind: "list" | "map"; readonly of: Node }
  | { readonly kind: "fields"; readonly fields: ReadonlyMap<string, Field> };

interface Field {
  readonly required: boolean;
  readonly marks: Readonly<Record<string, unknown>>;
  readonly node: Node;
}

const VALUES: Readonly<Record<string, () => z.ZodType>> = {
  text: () => z.string(),
  secret: () => z.string().meta({ secret: true }),
  int: () => z.int().min(0),
  number: () => z.number(),
  flag: () => z.boolean(),
  any: () => z.unknown(),
  texts: () => z.union([z.string(), z.array(z.string())]),
  pair: () => z.tuple([z.string(), z.string()]),
};

/** The node of one type: `int`, `[text]`, `a|b`, or the fields of a block. */
export function parseType(type: string, blocks: Readonly<Record<string, Shape>>): Node {
  const inner = type.slice(1, -1);
  if (type.startsWith("[")) return { kind: "list", of: parseType(inner, blocks) };
  if (type.startsWith("{")) return { kind: "map", of: parseType(inner, blocks) };
  if (type === "in" || type === "out") return { kind: "endpoint", side: type === "in" ? "input" : "output" };
  if (type.includes("|")) return { kind: "value", schema: z.enum(type.split("|")) };
  const value = VALUES[type];
  if (value) return { kind: "value", schema: value() };
  const block = blocks[type];
  if (block === undefined) throw new Error(`a stub has a field of the unknown type "${type}"`);
  return parseFields(block, blocks);
}

export function parseFields(shape: Shape, blocks: Readonly<Record<string, Shape>>): Node {
  const fields = new Map<string, Field>();
  for (const entry of shape.split(/\s+/).filter(Boolean)) {
    const [shape, ...marks] = entry.split("@");
    const [name, type = "text"] = shape!.replace("!", "").split(":");
    fields.set(name!, { required: entry.includes("!"), node: parseType(type, blocks), marks: marksOf(marks) });
  }
  return { kind: "fields", fields };
}

function marksOf(names: readonly string[]): Record<string, unknown> {
  const marks = names.map((name) => (name === "input" || name === "output" ? ["side", name] : [name, true]));
  return Object.fromEntries(marks.map(([name, value]) => [`x-mqb-${name}`, value]));
}

export function schemaOf(node: Node): z.ZodType {
  switch (node.kind) {
    case "value":
      return node.schema;
    case "endpoint":
      return z.unknown().meta({ "x-mqb-endpoint": node.side });
    case "list":
      return z.array(schemaOf(node.of));
    case "map":
      return z.record(z.string(), schemaOf(node.of));
    case "fields": {
      const members = [...node.fields].map(([name, { required, node: type, marks }]) => {
        const schema = schemaOf(type);
        // An endpoint may be written as null, so that `nullish` would not tell it from one that is not there.
        if (type.kind === "endpoint") return [name, required ? z.unknown().refine(isThere) : schema.optional()];
        return [name, (required ? schema : schema.nullish()).meta(marks)];
      });
      return z.strictObject(Object.fromEntries(members));
    }
  }
}

const isThere = (value: unknown): boolean => value !== undefined;

export interface Nested {
  readonly path: readonly (string | number)[];
  readonly side: "input" | "output";
  readonly endpoint: unknown;
}

/** The endpoints in a configuration of this shape. */
export function endpointsIn(node: Node, value: unknown, path: Nested["path"] = []): Nested[] {
  if (value === undefined) return [];
  if (node.kind === "endpoint") return [{ path, side: node.side, endpoint: value }];
  if (value === null || typeof value !== "object" || node.kind === "value") return [];
  if (node.kind === "list")
    return (value as unknown[]).flatMap((item, index) => endpointsIn(node.of, item, [...path, index]));
  return Object.entries(value).flatMap(([key, member]) => {
    const inner = node.kind === "fields" ? node.fields.get(key)?.node : node.of;
    return inner ? endpointsIn(inner, member, [...path, key]) : [];
  });
}
