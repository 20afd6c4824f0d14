import type { Registry } from "@mqb/core";
import type { JsonSchema } from "@mqb/core/plugin";
import { consumerSchemas } from "./consumers.ts";
import { definitionSchemas } from "./definitions.ts";
import { endpointSchemas } from "./endpoint.ts";
import { objectSchema, type Properties, ref } from "./node.ts";
import { routeProperties, routeSchema } from "./route.ts";
import { settingProperties } from "./settings.ts";

/**
 * The JSON Schema (draft 2020-12) of a whole configuration for the plugins of a registry: for editors, and for programs
 * that write configurations. Holds the three spellings of routes, what each endpoint and middleware takes on its side, and
 * where endpoints are nested. Where a value that is no text may come from a variable, a text with `$` is allowed too. What
 * a schema cannot say (rules between fields, files that must exist) is left to `mqb check`.
 */
export function configurationSchema(registry: Registry): JsonSchema {
  const route = routeProperties();
  const named: Properties = { ...settingProperties(), routes: ROUTES };
  const whole = { ...named, ...route };
  // A copy: who gets it may resolve its references in place, as editors do.
  return structuredClone<JsonSchema>({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mqb configuration",
    description: "Routes of mqb, and the settings around them.",
    type: ["object", "null"],
    properties: { ...whole, config: { description: "The whole document, as an export writes it." } },
    // A route that is the whole document makes its own keys those of the top level.
    if: { anyOf: [{ required: ["input"] }, { required: ["output"] }] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      properties: Object.fromEntries([...Object.keys(whole)].map((name) => [name, true])),
      patternProperties: ANCHORS,
      additionalProperties: false,
      required: ["input"],
    },
    else: {
      properties: {
        ...Object.fromEntries(Object.keys(named).map((name) => [name, true])),
        config: ref("document"),
      },
      patternProperties: ANCHORS,
      additionalProperties: ref("route"),
    },
    $defs: {
      document: {
        ...objectSchema("The whole document.", named),
        patternProperties: ANCHORS,
        additionalProperties: ref("route"),
      },
      route: routeSchema(route),
      ...consumerSchemas(route),
      ...endpointSchemas(registry),
      variable: VARIABLE,
      ...definitionSchemas(registry),
    },
  });
}

const ROUTES: JsonSchema = {
  description: "Routes by name.",
  type: ["object", "null"],
  additionalProperties: ref("route"),
};

/** Keys for anchors. */
const ANCHORS = { "^x-": true };

const VARIABLE: JsonSchema = {
  description: "A value from a variable: ${NAME}, ${NAME:-default} or $NAME.",
  type: "string",
  pattern: "\\$[{A-Za-z_]",
};
