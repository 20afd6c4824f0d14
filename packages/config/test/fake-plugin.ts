import { createRegistry, type Registry } from "@mqb/core";
import { defineEndpoint, defineMiddleware, definePlugin } from "@mqb/core/plugin";
import * as z from "zod";
import { packageFor } from "../src/index.ts";
import { INPUT, OUTPUT, structural } from "./fake-structural.ts";

/** Endpoints of every shape that the configuration has to deal with; none can be opened. */
export const fakePlugin = definePlugin({
  name: "fake",
  apiVersion: 1,
  endpoints: {
    null: defineEndpoint({ description: "", schema: z.strictObject({}), output: OUTPUT }),
    file: defineEndpoint({
      description: "",
      schema: z.strictObject({
        path: z.string().min(1),
        format: z.enum(["normal", "raw", "csv"]).optional(),
        batch: z.number().int().optional(),
        ratio: z.number().optional(),
        delete: z.boolean().optional(),
        csv: z.strictObject({ separator: z.string().optional() }).optional(),
        columns: z.array(z.string()).optional(),
        source: z.union([z.boolean(), z.enum(["auto"])]).optional(),
        anything: z.unknown().optional(),
        sealing: z
          .strictObject({
            key: z.string().meta({ secret: true }),
            keys: z.record(z.string(), z.string()).meta({ secret: true }).optional(),
            name: z.string().optional(),
          })
          .optional(),
      }),
      input: INPUT,
      output: OUTPUT,
    }),
    db: defineEndpoint({
      description: "",
      schema: z.strictObject({
        url: z.string(),
        table: z.string().optional(),
        tls: z.strictObject({ required: z.boolean().optional() }).optional(),
      }),
      input: INPUT,
      output: { ...OUTPUT, capabilities: () => ({ ...OUTPUT.capabilities(), defaultBatchSize: 50_000 }) },
    }),
    legs: defineEndpoint<unknown[]>({
      description: "",
      schema: z.array(z.unknown().meta({ "x-mqb-endpoint": "output" })).min(1),
      output: OUTPUT,
      children: (legs) => legs.map((endpoint, index) => ({ path: `[${index}]`, side: "output", endpoint })),
    }),
    own_name: defineEndpoint({
      description: "",
      schema: z.strictObject({ size: z.number().optional() }),
      input: INPUT,
    }),
  },
  middlewares: {
    retry: defineMiddleware({
      description: "",
      schema: z.strictObject({ max_attempts: z.number().int().optional() }),
      output: (inner) => inner,
    }),
    weak_join: defineMiddleware({ description: "", schema: z.strictObject({}), input: (inner) => inner }),
    filter: defineMiddleware({
      description: "",
      schema: z.union([z.string(), z.strictObject({ expression: z.string(), on_error: z.enum(["drop"]).optional() })]),
      input: (inner) => inner,
    }),
    dlq: defineMiddleware<{ endpoint: unknown }>({
      description: "",
      schema: z.strictObject({ endpoint: z.unknown().meta({ "x-mqb-endpoint": "output" }) }) as never,
      output: (inner) => inner,
      children: ({ endpoint }) => [{ path: "endpoint", side: "output", endpoint }],
    }),
  },
  schemes: {
    file: {
      endpoint: "file",
      config: ({ body }) => ({ path: body.replace(/^\/\/(?=\/)/, "").replaceAll("%7C", "|") }),
      uri: (config) => ({ scheme: "file", body: (config as { path: string }).path, params: [] }),
    },
    db: { endpoint: "db", config: ({ body }) => ({ url: `db:${body}` }), driverParams: "url" },
    null: { endpoint: "null", config: () => ({}) },
    legs: {
      endpoint: "legs",
      ownParams: true,
      config: ({ params }) =>
        Object.assign(
          [],
          params.map(([, value]) => value),
        ) as never,
      uri: (legs) => ({
        scheme: "legs",
        body: "",
        params: (legs as unknown[]).map((leg): [string, string] => ["to", typeof leg === "string" ? leg : ""]),
      }),
    },
  },
});

export function fakeRegistry(): Registry {
  return createRegistry([fakePlugin, structural], { packageFor });
}
