import { nearest, type Problem } from "@mqb/core";
import type { Path } from "../document/place.ts";
import { type Field, memberOf, membersOf } from "./field.ts";
import { keyOfPath } from "./fit.ts";
import type { Visited } from "./walk.ts";

/** Where an unknown field of a route, an endpoint or a middleware belongs, if its name is known nearby. */
export function misplacedHint({ path }: Problem, visited: ReadonlyMap<string, Visited>): string | undefined {
  const name = path.at(-1);
  if (typeof name !== "string") return undefined;
  const around = path.slice(0, -1);
  if (around.length === 0) {
    if (nearest(name, ["middlewares"])) return `"middlewares" stands in "input" or "output", beside the endpoint`;
    return inEndpoint(name, visited);
  }
  const own = fieldAt(around, visited);
  const inside = own && membersOf(own).find((member) => has(memberOf(own, member), name));
  if (inside !== undefined) return `"${name}" is a field of "${inside}"; write ${inside}: { ${name}: … }`;
  const outer = fieldAt(around.slice(0, -1), visited);
  return outer && has(outer, name) ? `"${name}" stands beside "${String(around.at(-1))}", not inside it` : undefined;
}

/** A field of an endpoint that stands in the route itself is mostly not indented far enough. */
function inEndpoint(name: string, visited: ReadonlyMap<string, Visited>): string | undefined {
  for (const { path, owner, field } of visited.values()) {
    if (path.length !== 2 || owner === undefined || !has(field, name)) continue;
    return `"${name}" is a field of "${owner.name}": indent it below "${String(path[1])}"`;
  }
  return undefined;
}

function fieldAt(path: Path, visited: ReadonlyMap<string, Visited>): Field | undefined {
  return visited.get(keyOfPath(path))?.field;
}

function has(field: Field | undefined, name: string): boolean {
  return field !== undefined && membersOf(field).includes(name);
}
