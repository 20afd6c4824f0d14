import type { OpenContext } from "../../src/contract/context.ts";
import type { EndpointDefinition, MiddlewareDefinition } from "../../src/contract/definition.ts";
import type { Consumer, InputCapabilities, OutputCapabilities, Publisher } from "../../src/contract/endpoint.ts";
import type { MaybePromise } from "../../src/contract/maybe-promise.ts";
import { API_VERSION, type Plugin, type PluginDefinition } from "../../src/contract/plugin.ts";
import type { ConfigSchema } from "../../src/contract/schema.ts";
import { definePlugin } from "../../src/plugin/define.ts";

export const INPUT: InputCapabilities = {
  acknowledges: true,
  commitsInOrder: false,
  replies: false,
  stableIds: false,
  replayablePosition: false,
  bounded: true,
};

export const OUTPUT: OutputCapabilities = {
  acknowledges: true,
  replies: false,
  orderedPublish: false,
  idempotent: false,
};

/** Takes any configuration as it is. */
export const anything: ConfigSchema = {
  "~standard": { version: 1, vendor: "fake", validate: (value) => ({ value }) },
};

/** Takes a map of exactly these fields; the required ones must be texts. Reports like zod does. */
export function fields(names: readonly string[], required: readonly string[] = []): ConfigSchema {
  return {
    "~standard": {
      version: 1,
      vendor: "fake",
      validate: (value) => {
        if (typeof value !== "object" || value === null || Array.isArray(value))
          return { issues: [{ message: "expected a map", path: [] }] };
        const given = value as Record<string, unknown>;
        const wrong = required
          .filter((name) => typeof given[name] !== "string")
          .map((name) => ({ message: "expected a text", path: [name] }));
        const unknown = Object.keys(given).filter((key) => !names.includes(key));
        const issues = [...wrong, ...(unknown.length > 0 ? [{ message: "unknown", path: [], keys: unknown }] : [])];
        return issues.length > 0 ? { issues } : { value };
      },
      jsonSchema: {
        input: () => ({ type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) }),
      },
    },
  };
}

export function source(
  open: (config: unknown, context: OpenContext) => MaybePromise<Consumer>,
  capabilities: Partial<InputCapabilities> = {},
): EndpointDefinition {
  return { description: "", schema: anything, input: { capabilities: () => ({ ...INPUT, ...capabilities }), open } };
}

export function sink(
  open: (config: unknown, context: OpenContext) => MaybePromise<Publisher>,
  capabilities: Partial<OutputCapabilities> = {},
): EndpointDefinition {
  return { description: "", schema: anything, output: { capabilities: () => ({ ...OUTPUT, ...capabilities }), open } };
}

export function middleware(definition: Partial<MiddlewareDefinition>): MiddlewareDefinition {
  return { description: "", schema: anything, ...definition };
}

export function plugin(definition: Partial<PluginDefinition>): Plugin {
  return definePlugin({ name: "fake", apiVersion: API_VERSION, ...definition });
}
