import type { EndpointConfig } from "@mqb/core/plugin";
import * as z from "zod";
import { outputField } from "../structural/field.ts";

export const fanoutSchema = z
  .array(
    outputField({
      description: "A leg: an endpoint with middlewares of its own, which gets every message.",
      examples: [{ file: { path: "audit.jsonl" } }],
    }),
    { error: "expected a list of endpoints" },
  )
  .min(1, { error: "expected at least one endpoint" })
  .meta({ description: "the endpoints that each get every message; the first one that answers a message counts" });

export type FanoutConfig = readonly (EndpointConfig | null)[];
