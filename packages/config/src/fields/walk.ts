import type { Registry } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import type { Path } from "../document/place.ts";
import { isSecretName } from "../redact/secret-names.ts";
import { entryOf, type Field, memberOf, membersOf } from "./field.ts";
import type { Schemas } from "./schemas.ts";

/** A value of a route as written, with what is known of it. */
export interface Visited {
  /** From the route. */
  readonly path: Path;
  readonly value: unknown;
  /** Absent where no schema says anything: an option of the route, an unknown field, a name that is not installed. */
  readonly field?: Field;
  /** The endpoint or middleware that it belongs to, with its path in that one's configuration. */
  readonly owner?: { readonly name: string; readonly path: Path };
  /** Its schema says so, or its name or that of something around it. */
  readonly isSecret: boolean;
}

const MAX_DEPTH = 64;

/**
 * Visits every value of a route as written, also of one that is wrong: options, endpoints, middlewares, and endpoints nested
 * in them. The schemas of what the registry knows say what each field takes.
 */
export function walkRoute(route: unknown, registry: Registry, schemas: Schemas, visit: (one: Visited) => void): void {
  if (!isMap(route)) return;
  const walk = new Walk(registry, schemas, visit);
  for (const [key, value] of Object.entries(route)) {
    if (key === "input" || key === "output") walk.endpoint(value, [key], isSecretName(key));
    else walk.value({ path: [key], value, isSecret: isSecretName(key) });
  }
}

/** A text where a map with secrets belongs is most likely one of them: `encryption: ${KEY}`. */
function standsForSecrets(value: unknown, field: Field | undefined): boolean {
  if (!field || typeof value === "object" || value === undefined || field.types.has(typeof value)) return false;
  return field.types.has("object") && holdsSecrets(field, 0);
}

function holdsSecrets(field: Field, depth: number): boolean {
  if (depth > 4) return false;
  return membersOf(field).some((name) => {
    const member = memberOf(field, name);
    return isSecretName(name) || (member !== undefined && (member.isSecret || holdsSecrets(member, depth + 1)));
  });
}

class Walk {
  private readonly registry: Registry;
  private readonly schemas: Schemas;
  private readonly visit: (one: Visited) => void;

  constructor(registry: Registry, schemas: Schemas, visit: (one: Visited) => void) {
    this.registry = registry;
    this.schemas = schemas;
    this.visit = visit;
  }

  endpoint(value: unknown, path: Path, isSecret: boolean): void {
    this.visit({ path, value, isSecret });
    if (!isMap(value) || path.length > MAX_DEPTH) return;
    for (const [key, config] of Object.entries(value)) {
      if (key === "middlewares") this.middlewares(config, [...path, key], isSecret);
      else this.named("endpoint", key, config, [...path, key], isSecret);
    }
  }

  value(one: Visited): void {
    const { path, value, field, owner, isSecret } = one;
    if (path.length > MAX_DEPTH) return;
    // Where a schema takes anything, it may be an endpoint, also one that it does not mark.
    const mayBe = field && field.types.size === 0 && this.isEndpoint(value);
    if (mayBe || (field?.marks["endpoint"] !== undefined && isMap(value))) {
      this.endpoint(value, path, isSecret);
      return;
    }
    this.visit(standsForSecrets(value, field) ? { ...one, isSecret: true } : one);
    const inner = (key: string | number, member: unknown, known: Field | undefined): void =>
      this.value({
        path: [...path, key],
        value: member,
        ...(known ? { field: known } : {}),
        ...(owner ? { owner: { name: owner.name, path: [...owner.path, key] } } : {}),
        isSecret: isSecret || (known?.isSecret ?? false) || (typeof key === "string" && isSecretName(key)),
      });
    // What takes anything takes anything inside, too.
    const open = field && field.types.size === 0 ? field : undefined;
    if (Array.isArray(value)) {
      for (const [index, member] of value.entries()) inner(index, member, field && (entryOf(field, index) ?? open));
    } else if (isMap(value)) {
      for (const [key, member] of Object.entries(value)) inner(key, member, field && (memberOf(field, key) ?? open));
    }
  }

  private middlewares(value: unknown, path: Path, isSecret: boolean): void {
    this.visit({ path, value, isSecret });
    const entries: [string | number, unknown][] = Array.isArray(value)
      ? value.map((entry, index) => [index, entry])
      : isMap(value)
        ? Object.entries(value)
        : [];
    for (const [position, entry] of entries) {
      if (!isMap(entry)) {
        this.visit({ path: [...path, position], value: entry, isSecret });
        continue;
      }
      for (const [name, config] of Object.entries(entry))
        this.named("middleware", name, config, [...path, position, name], isSecret);
    }
  }

  private named(what: "endpoint" | "middleware", key: string, config: unknown, path: Path, isSecret: boolean): void {
    const isCustom = key === "custom" && isMap(config);
    const name = isCustom ? String(config["name"]) : key;
    const inner = isCustom ? config["config"] : config;
    if (isCustom) this.visit({ path: [...path, "name"], value: name, isSecret });
    const found = this.registry[what](name);
    const at = isCustom ? [...path, "config"] : path;
    if (!found) {
      this.value({ path: at, value: inner, isSecret });
      return;
    }
    const field = this.schemas.field(found.definition.schema);
    this.value({
      path: at,
      value: inner,
      field,
      owner: { name: found.name, path: [] },
      isSecret: isSecret || field.isSecret,
    });
  }

  private isEndpoint(value: unknown): boolean {
    if (!isMap(value)) return false;
    const keys = Object.keys(value).filter((key) => key !== "middlewares");
    if (keys.length === 0) return Object.hasOwn(value, "middlewares");
    return keys.some((key) => key === "custom" || this.registry.endpoint(key) !== undefined);
  }
}
