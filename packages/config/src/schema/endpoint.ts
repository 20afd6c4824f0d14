import type { Registry } from "@mqb/core";
import type { JsonSchema, Side } from "@mqb/core/plugin";
import { definitionName, type Kind, needsNothing, offered } from "./definitions.ts";
import { objectSchema, ref } from "./node.ts";

/** What may stand where an endpoint or a list of middlewares is written, on either side. */
export function endpointSchemas(registry: Registry): Readonly<Record<string, JsonSchema>> {
  return {
    inputEndpoint: endpointSchema(registry, "input"),
    outputEndpoint: endpointSchema(registry, "output"),
    inputMiddlewares: middlewaresSchema(registry, "input"),
    outputMiddlewares: middlewaresSchema(registry, "output"),
    custom: objectSchema(
      "An endpoint or middleware by the name of its registration.",
      {
        name: { description: "The name.", type: "string" },
        config: { description: "What it takes; {} for nothing." },
      },
      ["name", "config"],
    ),
  };
}

/** A map with one endpoint key, beside an optional `middlewares` list. An output may discard. */
function endpointSchema(registry: Registry, side: Side): JsonSchema {
  const types = members(registry, "endpoint", side);
  const one = [...Object.keys(types)].map((name) => ({ required: [name] }));
  const schema: JsonSchema = {
    description: side === "input" ? "A source of messages." : "A sink for messages.",
    type: "object",
    properties: { ...types, middlewares: ref(`${side}Middlewares`) },
    additionalProperties: false,
    oneOf: side === "input" ? one : [...one, { properties: { middlewares: true }, additionalProperties: false }],
  };
  if (side === "input") return schema;
  return { description: "A sink for messages.", anyOf: [schema, { type: "null" }, { const: "null" }] };
}

function middlewaresSchema(registry: Registry, side: Side): JsonSchema {
  const entries = members(registry, "middleware", side);
  const bare = Object.keys(entries).filter((name) => {
    const found = registry.middleware(name);
    return found !== undefined && needsNothing(found.definition);
  });
  return {
    description:
      side === "input"
        ? "Middlewares of a source. The last one is next to it and touches a message first."
        : "Middlewares of a sink. The last one touches a message first, the first one is next to the sink.",
    type: ["array", "null"],
    items: {
      anyOf: [
        { type: "object", properties: entries, additionalProperties: false, minProperties: 1, maxProperties: 1 },
        ...(bare.length > 0 ? [{ enum: bare }] : []),
      ],
    },
  };
}

/** Every name and alias of a side. */
function members(registry: Registry, kind: Kind, side: Side): Record<string, JsonSchema> {
  const schemas = offered(registry, kind, side).flatMap(({ name, definition }) => {
    const own = ref(definitionName(kind, name, definition.schema, side));
    const schema: JsonSchema = needsNothing(definition)
      ? { description: definition.description, anyOf: [own, { type: "null" }] }
      : { description: definition.description, ...own };
    return [name, ...(definition.aliases ?? [])].map((key): [string, JsonSchema] => [key, schema]);
  });
  return { ...Object.fromEntries(schemas), custom: ref("custom") };
}
