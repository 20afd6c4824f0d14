import type { Registry } from "@mqb/core";
import { type ConfigSchema, type JsonSchema, jsonSchemaOf, type Side } from "@mqb/core/plugin";
import { pick, type Random } from "@mqb/testkit";
import { alternatives } from "../src/json-schema.ts";

const TEXTS = [
  "a",
  "orders",
  "a b",
  "x|y",
  "50%",
  "%41",
  "a&b=c",
  "a#b",
  "?q",
  "${HOME}",
  "$x",
  "true",
  "42",
  "null",
  "{",
  '{"a":1}',
  "[]",
  "-",
  "ü€😀",
  "a.b.c",
  "k=v",
  "file:x",
  "/abs/p",
  "../r",
  "x.gz",
  "line\nbreak",
  "tab\t",
  "\u0000",
  "'",
  '"',
  "a+b",
  "//",
] as const;

/** Endpoints as a configuration may write them, made from nothing but the schemas of the registry. */
export class ConfigGenerator {
  private readonly registry: Registry;
  private readonly random: Random;

  constructor(registry: Registry, random: Random) {
    this.registry = registry;
    this.random = random;
  }

  endpoint(type: string, side: Side, depth = 0): Record<string, unknown> {
    const { definition } = this.registry.endpoint(type)!;
    const config = this.valid(definition.schema, side, depth);
    const list = this.registry.names("middleware").filter((name) => this.registry.middleware(name)!.definition[side]);
    const middlewares =
      depth > 1 || this.random() < 0.5
        ? []
        : Array.from({ length: 1 + Math.floor(this.random() * 2) }, () => {
            const name = pick(this.random, list);
            return { [name]: this.valid(this.registry.middleware(name)!.definition.schema, side, depth) };
          });
    return { [type]: config, ...(middlewares.length > 0 ? { middlewares } : {}) };
  }

  /** Rules between fields are no part of a JSON Schema: tries until they hold. */
  private valid(schema: ConfigSchema, side: Side, depth: number): unknown {
    const root = jsonSchemaOf(schema)!;
    for (;;) {
      const value = this.value(root, root, side, depth);
      const result = schema["~standard"].validate(value);
      if (!(result instanceof Promise) && !result.issues) return value;
    }
  }

  private value(schema: JsonSchema, root: JsonSchema, side: Side, depth: number): unknown {
    const nested = schema["x-mqb-endpoint"];
    if (typeof nested === "string") return this.nested(nested === "same" ? side : (nested as Side), depth);
    const option = pick(this.random, alternatives(schema, root));
    if (option.enum) return pick(this.random, option.enum);
    if ("const" in option) return option["const"];
    const type = Array.isArray(option.type) ? pick(this.random, option.type as string[]) : option.type;
    const again = (inner: JsonSchema): unknown => this.value(inner, root, side, depth);
    switch (type) {
      case "object":
        return this.object(option, again);
      case "array":
        return Array.from({ length: 1 + Math.floor(this.random() * 2) }, () => again(option.items ?? {}));
      case "string": {
        const examples = (schema["examples"] ?? option["examples"]) as unknown[] | undefined;
        const texts = (examples ?? []).filter((one) => typeof one === "string");
        return pick(this.random, texts.length > 0 && this.random() < 0.5 ? texts : TEXTS);
      }
      case "integer":
        return Math.max(Number(option["minimum"] ?? 0), 0) + Math.floor(this.random() * 20);
      case "number":
        return Math.round(Number(option["minimum"] ?? 0) * 100 + this.random() * 100) / 100;
      case "boolean":
        return this.random() < 0.5;
      case "null":
        return null;
      default:
        return pick(
          this.random,
          TEXTS.filter((text) => !/^[{[]/.test(text)),
        );
    }
  }

  private object(schema: JsonSchema, again: (inner: JsonSchema) => unknown): Record<string, unknown> {
    const required = (schema["required"] ?? []) as readonly string[];
    const object: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (required.includes(name) || this.random() < 0.3) object[name] = again(member);
    }
    const others = schema["additionalProperties"];
    if (typeof others === "object" && others !== null) {
      for (let left = Math.floor(this.random() * 3); left > 0; left--)
        object[pick(this.random, TEXTS)] = again(others as JsonSchema);
    }
    return object;
  }

  private nested(side: Side, depth: number): unknown {
    const types = this.registry.names("endpoint").filter((type) => this.registry.endpoint(type)!.definition[side]);
    const plain = types.filter((type) => !this.registry.endpoint(type)!.definition.children);
    return this.endpoint(pick(this.random, depth > 1 ? plain : types), side, depth + 1);
  }
}
