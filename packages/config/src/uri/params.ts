import { nearest } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { configErrors } from "../errors.ts";
import { convertParam } from "./convert.ts";
import type { UriField, UriShape } from "./fields.ts";
import { FORBIDDEN_KEY } from "./literal.ts";

type Param = readonly [name: string, value: string];
type Config = Record<string, unknown>;

/** Whose parameters they are, and whether a driver behind it takes what is no field. */
interface Owner {
  readonly name: string;
  readonly driver: boolean;
}

/**
 * Parameters as fields: `field=value`, and `field.member=value` into a field that takes an object. `left` are those that
 * a driver may take: no field, or an object field without a JSON literal. Throws a `config` error for what does not fit.
 */
export function matchParams(
  params: readonly Param[],
  shape: UriShape,
  owner: Owner,
): { readonly fields: Config; readonly left: readonly Param[] } {
  const fields: Config = {};
  const left: Param[] = [];
  for (const param of params) {
    const [name, text] = param;
    const path = pathOf(name, shape.fields);
    if (!path) {
      if (!owner.driver) throw configErrors.URI_PARAM({ name, owner: owner.name, hint: paramHint(name, shape) });
      left.push(param);
      continue;
    }
    const converted = convertParam(text, path.field);
    if ("value" in converted) put(fields, path.steps, converted.value, name, owner.name);
    else if ("json" in converted && owner.driver) left.push(param);
    else throw misfit(name, text, path.field, converted, owner.name);
  }
  return { fields, left };
}

/** Why the name is no parameter: the one that was meant, and all there are. */
export function paramHint(name: string, { fields }: UriShape): string {
  const known = [...fields.keys()];
  const [head = "", ...rest] = name.split(".");
  const members = rest.length > 0 ? [...(fields.get(head)?.members.keys() ?? [])].map((one) => `${head}.${one}`) : [];
  const near = nearest(name, [...members, ...known]);
  const list = `it takes: ${(members.length > 0 ? members : known).join(", ") || "no params"}`;
  return near === undefined ? list : `did you mean "${near}"? ${list}`;
}

interface FieldPath {
  readonly steps: readonly string[];
  readonly field: UriField;
}

/** A field of this very name first; else `head.member`, however deep. */
function pathOf(name: string, fields: ReadonlyMap<string, UriField>): FieldPath | undefined {
  const own = fields.get(name);
  if (own) return { steps: [name], field: own };
  const dot = name.indexOf(".");
  const head = dot > 0 ? fields.get(name.slice(0, dot)) : undefined;
  if (!head) return undefined;
  const rest = name.slice(dot + 1);
  const inner = pathOf(rest, head.members) ?? anyMember(rest, head);
  return inner && { steps: [name.slice(0, dot), ...inner.steps], field: inner.field };
}

function anyMember(name: string, { anyMember: field }: UriField): FieldPath | undefined {
  return field && name !== "" && name !== FORBIDDEN_KEY ? { steps: [name], field } : undefined;
}

function put(fields: Config, steps: readonly string[], value: unknown, name: string, owner: string): void {
  let map = fields;
  for (const step of steps.slice(0, -1)) {
    const inner = Object.hasOwn(map, step) ? map[step] : (map[step] = {});
    if (!isMap(inner)) throw configErrors.URI_REPEATED({ name: step, owner });
    map = inner;
  }
  const last = steps.at(-1)!;
  if (Object.hasOwn(map, last)) throw configErrors.URI_REPEATED({ name, owner });
  map[last] = value;
}

function misfit(
  name: string,
  value: string,
  field: UriField,
  converted: { readonly json: string } | { readonly choices: readonly string[] } | { readonly key: string },
  owner: string,
): Error {
  if ("key" in converted) return configErrors.URI_KEY({ name, owner, key: converted.key });
  if ("json" in converted) {
    return configErrors.URI_JSON({ name, owner, kind: converted.json, hint: literalHint(name, field) });
  }
  const near = nearest(value, converted.choices);
  const list = `it takes: ${converted.choices.join(", ")}`;
  const hint = near === undefined ? list : `did you mean "${near}"? ${list}`;
  return configErrors.URI_CHOICE({ name, owner, value, hint });
}

/** `write csv={"separator":";"} or csv.separator=;` */
function literalHint(name: string, field: UriField): string {
  if (!field.types.has("object")) return `write ${name}=${encoded(JSON.stringify(field.example ?? ["a", "b"]))}`;
  const [member, inner] = [...field.members].find(([, one]) => isPlain(one)) ?? [...field.members][0] ?? [];
  const key = member ?? "name";
  const example = inner?.example ?? exampleFor(inner);
  const literal = encoded(JSON.stringify({ [key]: example }));
  const dotted = typeof example === "object" ? JSON.stringify(example) : String(example);
  return `write ${name}=${literal} or ${name}.${key}=${encoded(dotted)}`;
}

function isPlain(field: UriField): boolean {
  return !field.types.has("object") && !field.types.has("array");
}

function exampleFor(field: UriField | undefined): unknown {
  if (field?.choices[0] !== undefined) return field.choices[0];
  if (field?.types.has("boolean")) return true;
  if (field?.types.has("integer") || field?.types.has("number")) return 1;
  return "value";
}

function encoded(text: string): string {
  return text.replace(/[%&|]/g, (one) => encodeURIComponent(one));
}
