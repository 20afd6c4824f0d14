import { FieldKind, type JsonPath } from "@mqb/json";

/** What a finder is to answer, the slow way: by JSON.parse, on texts whose numbers are harmless. */
export function findSlowly(text: string, paths: readonly JsonPath[]): { kind: number; text?: string }[] | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return undefined;
  }
  return paths.map((path) => {
    let value = document;
    for (const step of path) {
      const own = typeof step === "number" ? Array.isArray(value) : isMap(value);
      if (!own || !Object.hasOwn(value as object, step)) return { kind: FieldKind.absent };
      value = (value as Record<string | number, unknown>)[step];
    }
    return { kind: kindOf(value), text: JSON.stringify(value) };
  });
}

/** The document after the edits, the slow way. Only for edits of distinct paths none of which leads into another. */
export function spliceSlowly(
  text: string,
  edits: readonly { readonly path: JsonPath; readonly value: string | undefined }[],
): unknown {
  let document: unknown = JSON.parse(text);
  for (const { path, value } of edits) document = edited(document, path, value);
  return document;
}

function edited(node: unknown, [step, ...rest]: JsonPath, value: string | undefined): unknown {
  if (step === undefined) return value === undefined ? undefined : JSON.parse(value);
  if (typeof step === "number") {
    if (!Array.isArray(node) || step >= node.length) return node;
    return node.map((item, index) => (index === step ? (edited(item, rest, value) ?? null) : item));
  }
  if (!isMap(node) && value === undefined) return node;
  const members = isMap(node) ? Object.entries(node) : [];
  const before = members.find(([key]) => key === step);
  if (rest.length === 0 && value === undefined) return fromEntries(members.filter(([key]) => key !== step));
  if (rest.length > 0 && before === undefined && (value === undefined || typeof rest[0] === "number")) return node;
  const inside = edited(before?.[1], rest, value);
  if (before) return fromEntries(members.map(([key, one]) => [key, key === step ? inside : one]));
  return fromEntries([...members, [step, inside]]);
}

function fromEntries(members: [string, unknown][]): unknown {
  const pairs = members.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${pairs.join(",")}}`);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): number {
  if (value === null) return FieldKind.null;
  if (Array.isArray(value)) return FieldKind.array;
  if (typeof value === "boolean") return value ? FieldKind.true : FieldKind.false;
  return FieldKind[typeof value as "number" | "string" | "object"];
}
