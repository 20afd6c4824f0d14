import type { JsonSchema } from "@mqb/core/plugin";
import { SECURITY_MODES } from "../document/settings.ts";
import { orVariable, type Properties, ref } from "./node.ts";

const text = (description: string, more: JsonSchema = {}): JsonSchema => ({
  description,
  type: ["string", "null"],
  ...more,
});

/** What a document says besides its routes. */
export function settingProperties(): Properties {
  return {
    log_level: text("debug, info, warn, error or off; also a list such as `info,kafka=debug`.", { default: "info" }),
    logger: orVariable({
      description: "How log lines are written.",
      default: "plain",
      enum: ["plain", "json", "", null],
    }),
    ui_addr: text("Address of the web UI."),
    metrics_addr: text("Address at which metrics are served."),
    plugins: {
      description: "Plugins to load: packages, or paths from this file.",
      type: ["array", "null"],
      items: { type: "string", minLength: 1 },
      examples: [["@mqb/kafka"]],
    },
    consumers: {
      description: "Routes as the web UI writes them: an endpoint, and where its messages go.",
      type: ["array", "null"],
      items: ref("consumer"),
    },
    publishers: {
      description: "Endpoints that consumers and `ref` name.",
      anyOf: [
        { type: "array", items: ref("publisher") },
        { type: "object", additionalProperties: { anyOf: [ref("outputEndpoint"), ref("publisher")] } },
        { type: "null" },
      ],
    },
    history: { description: "Belongs to the web UI; has no effect here." },
    env_vars: variables("Variables for `${NAME}`; the environment goes before them."),
    envVars: variables("Another spelling of `env_vars`."),
    config_security: {
      description: "How a web UI saves this configuration; has no effect here.",
      type: ["object", "null"],
      properties: {
        mode: {
          enum: [...SECURITY_MODES, null],
        },
      },
    },
    encrypted_config: { description: "An encrypted configuration, which mqb does not read.", not: {} },
    extract_secrets: {
      description: "Belongs to a web UI; has no effect here.",
      type: ["boolean", "null"],
      deprecated: true,
    },
    default_tab: { description: "Belongs to the web UI; has no effect here." },
  };
}

function variables(description: string): JsonSchema {
  return {
    description,
    type: ["object", "null"],
    additionalProperties: { type: ["string", "number", "boolean", "null"] },
  };
}
