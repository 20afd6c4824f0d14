import { type Problem, suggest } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import type { Path } from "./place.ts";

/** An endpoint under `publishers`: consumers and `ref` name it. */
export interface NamedEndpoint {
  readonly name: string;
  readonly id?: string;
  /** Where its endpoint stands in the document. */
  readonly path: Path;
  readonly endpoint: unknown;
}

/** The rest is what the web UI keeps for sending by hand. */
const FIELDS = ["id", "name", "endpoint", "comment", "payload", "headers", "sort_order"];

/** Reads `publishers`: a list of `{ name, endpoint }`, or a map of endpoints by name. */
export function readPublishers(value: unknown, at: Path, problems: Problem[]): NamedEndpoint[] {
  if (value === undefined || value === null) return [];
  const fault = (code: string, path: Path, message: string, hint?: string): void => {
    problems.push({ level: "error", code, path, message, ...(hint === undefined ? {} : { hint }) });
  };
  if (isMap(value)) return Object.entries(value).map(([name, one]) => ofMember(name, one, [...at, name]));
  if (!Array.isArray(value)) {
    fault("MQB_CONFIG_TYPE", at, `"publishers" is a list of { name, endpoint }, or a map of endpoints by name`);
    return [];
  }
  const publishers: NamedEndpoint[] = [];
  for (const [index, one] of value.entries()) {
    const path = [...at, index];
    if (!isMap(one)) {
      fault("MQB_CONFIG_TYPE", path, `a publisher is a map with "name" and "endpoint"`);
      continue;
    }
    for (const key of Object.keys(one)) {
      if (FIELDS.includes(key)) continue;
      fault("MQB_CONFIG_UNKNOWN_FIELD", [...path, key], `a publisher has no field "${key}"`, suggest(key, FIELDS));
    }
    const { name, id, endpoint } = one;
    const called = textOf(name) ?? textOf(id);
    if (called === undefined) {
      fault("MQB_CONFIG_MISSING", path, `a publisher needs the field "name"`);
      continue;
    }
    if (endpoint === undefined || endpoint === null)
      fault("MQB_CONFIG_MISSING", path, `the publisher "${called}" needs the field "endpoint"`);
    if (publishers.some((other) => other.name === called)) {
      fault("MQB_CONFIG_DUPLICATE_ROUTE", path, `there are two publishers called "${called}"`, "rename one of them");
      continue;
    }
    const idText = textOf(id);
    publishers.push({
      name: called,
      ...(idText === undefined ? {} : { id: idText }),
      path: [...path, "endpoint"],
      endpoint,
    });
  }
  return publishers;
}

/** `name: endpoint`, or the same with the fields of a list entry. */
function ofMember(name: string, value: unknown, path: Path): NamedEndpoint {
  const hasFields =
    isMap(value) && Object.hasOwn(value, "endpoint") && Object.keys(value).every((key) => FIELDS.includes(key));
  return hasFields
    ? { name, path: [...path, "endpoint"], endpoint: value["endpoint"] }
    : { name, path, endpoint: value };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
