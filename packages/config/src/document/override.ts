import { type Problem, suggest } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import type { Environment } from "../environment.ts";
import type { Placed } from "./merge.ts";
import { findPath, type OverridePath } from "./override-path.ts";
import { locationAt, NO_CHILDREN, type Path, type Place, type SourceVariable } from "./place.ts";
import type { DocumentProblem } from "./problem.ts";

const PREFIX = /^MQB__/i;
/** As in a document, by which more cannot be meant. */
const MAX_DEPTH = 100;

export interface Overridden extends Placed {
  readonly problems: readonly DocumentProblem[];
  readonly sources: readonly SourceVariable[];
}

/**
 * Lays the variables `MQB__A__B__C` over a document: each sets the value at the path `a.b.c`. Names are compared with what
 * is written without regard to case, `-` and `_`. Empty variables are left out. `referenced` are variables that the
 * document uses by `${…}`; such a one may also be meant for nothing else.
 */
export function override(document: Placed, environment: Environment, referenced: ReadonlySet<string>): Overridden {
  const problems: DocumentProblem[] = [];
  const sources: SourceVariable[] = [];
  const names = Object.keys(environment)
    .filter((name) => PREFIX.test(name) && environment[name] !== undefined && environment[name] !== "")
    // Numbers by their size, so that a list grows from its start.
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  let result = document;
  for (const name of names) {
    const source: SourceVariable = { name, variable: true };
    const found = findPath(result.value, name.replace(PREFIX, ""), names);
    if ("path" in found && found.path.length <= MAX_DEPTH) {
      sources.push(source);
      result = setAt(result, found.path, leaf(source, environment[name]!), source);
    } else if (!referenced.has(name)) {
      problems.push({ ...faultOf(found), at: locationAt(source, 0) });
    }
  }
  return { ...result, problems, sources };
}

function faultOf(found: OverridePath): Problem {
  const base = { code: "MQB_CONFIG_OVERRIDE", path: [] };
  if ("ambiguous" in found) {
    const keys = found.ambiguous.map((key) => `"${key}"`).join(" and ");
    const message = `the variable may mean ${keys}, which differ only in case, - and _`;
    return { ...base, level: "error", message, hint: "rename one of them, or write the name as it stands there" };
  }
  if ("unknown" in found) {
    const { unknown, within, known, what } = found;
    const where = within === "" ? "the configuration" : within;
    const message = `the variable sets nothing: ${where} has no ${what} "${unknown}"`;
    return { ...base, level: "warning", message, ...(known.length > 0 ? { hint: suggest(unknown, known) } : {}) };
  }
  return { ...base, level: "warning", message: "the variable sets nothing: its name is no path" };
}

function leaf(source: SourceVariable, text: string): Placed {
  const written = `\${${source.name}}`;
  const filled = { plain: true, variables: [], whole: text, written, parts: [{ name: source.name, text }] };
  return { value: text, place: { source, key: 0, value: 0, children: NO_CHILDREN, filled } };
}

function setAt(below: Placed, [part, ...rest]: Path, value: Placed, source: SourceVariable): Placed {
  if (part === undefined) return value;
  const place: Place = below.place;
  const child = place.children.get(part) ?? { source, key: 0, value: 0, children: NO_CHILDREN };
  if (typeof part === "number") {
    const items = Array.isArray(below.value) ? [...(below.value as unknown[])] : [];
    const inner = setAt({ value: items[part], place: child }, rest, value, source);
    items[part] = inner.value;
    return { value: items, place: { ...place, children: new Map(place.children).set(part, inner.place) } };
  }
  const map = isMap(below.value) ? below.value : {};
  const inner = setAt({ value: map[part], place: child }, rest, value, source);
  return {
    value: { ...map, [part]: inner.value },
    place: { ...place, children: new Map(place.children).set(part, inner.place) },
  };
}
