import type { EndpointConfig } from "@mqb/core/plugin";
import * as z from "zod";
import { outputField } from "../structural/field.ts";

export const requestSchema = z.strictObject({
  to: outputField({
    description: "Where each message is sent as a request: an endpoint that answers.",
    examples: [{ http: { url: "https://api.example.com/score" } }],
  }),
  forward_to: outputField({
    description:
      "Where the answers go, and the message itself in the place of an answer that did not come. `null` discards answers and failures; `response` answers the sender.",
    examples: [{ file: { path: "answers.jsonl" } }, null],
  }),
});

export interface RequestConfig {
  readonly to: EndpointConfig | null;
  readonly forward_to: EndpointConfig | null;
}

export type RequestSettings = z.output<typeof requestSchema>;
