import type { JsonSchema } from "@mqb/core/plugin";
import { objectSchema, type Properties, ref } from "./node.ts";
import { flag } from "./route.ts";

const id: JsonSchema = { description: "A name that never changes.", type: ["string", "number", "null"] };
const name: JsonSchema = { description: "What it is called.", type: ["string", "number", "null"] };
const comment: JsonSchema = { description: "For people.", type: ["string", "null"] };

/** `consumers` and `publishers`: the spelling of routes that a web UI saves. */
export function consumerSchemas(route: Properties): Readonly<Record<string, JsonSchema>> {
  const { input: _, output: __, enabled, ...options } = route;
  return {
    consumer: objectSchema(
      "A route whose input is `endpoint`.",
      {
        id,
        name,
        enabled: enabled!,
        endpoint: { description: "The endpoint that is read.", ...ref("inputEndpoint") },
        comment,
        output: ref("consumerOutput"),
        response: { ...ref("consumerResponse"), deprecated: true },
        message_capture: {
          description: "Belongs to the web UI; has no effect here.",
          type: ["object", "null"],
          properties: {
            enabled: flag("Keep messages to look at.", true),
            keep_last: { type: ["integer", "null"] },
            keepLast: { type: ["integer", "null"] },
          },
        },
        ...options,
      },
      ["endpoint"],
    ),
    consumerOutput: {
      description: "Where the messages of a consumer go.",
      anyOf: [
        objectSchema("Nowhere.", { mode: { const: "none" }, publisher: NULL, publisher_id: NULL, response: NULL }, [
          "mode",
        ]),
        objectSchema(
          "To a publisher.",
          {
            mode: { const: "publisher" },
            publisher: { description: "Its name.", type: ["string", "number", "null"] },
            publisher_id: { description: "Its id, which goes before its name.", type: ["string", "number", "null"] },
            response: NULL,
          },
          ["mode"],
        ),
        objectSchema(
          "Back, as a response.",
          { mode: { const: "response" }, response: ref("consumerResponse"), publisher: NULL, publisher_id: NULL },
          ["mode"],
        ),
        NULL,
      ],
    },
    consumerResponse: {
      ...objectSchema("What a consumer answers.", {
        payload: { description: "The body; a template.", type: ["string", "null"] },
        headers: {
          description: "Metadata of the answer.",
          type: ["object", "null"],
          additionalProperties: { type: "string" },
        },
      }),
      type: ["object", "null"],
    },
    publisher: objectSchema(
      "An endpoint with a name.",
      {
        id,
        name,
        endpoint: { description: "The endpoint that is written.", ...ref("outputEndpoint") },
        comment,
        payload: { description: "Belongs to the web UI." },
        headers: { description: "Belongs to the web UI." },
        sort_order: { description: "Belongs to the web UI." },
      },
      ["endpoint"],
    ),
  };
}

const NULL: JsonSchema = { type: "null" };
