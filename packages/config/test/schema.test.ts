import { createRegistry, ROUTE_FIELDS } from "@mqb/core";
import { defineMiddleware, definePlugin, type JsonSchema } from "@mqb/core/plugin";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { configurationSchema } from "../src/index.ts";

const schema = configurationSchema(createRegistry([standard, file]));
const definitions = schema["$defs"] as Record<string, JsonSchema>;

function eachNode(node: unknown, visit: (node: JsonSchema) => void): void {
  if (typeof node !== "object" || node === null) return;
  visit(node as JsonSchema);
  for (const member of Object.values(node)) eachNode(member, visit);
}

describe("the JSON Schema of a configuration", () => {
  it("points to nothing that is not there", () => {
    const missing: string[] = [];
    eachNode(schema, ({ $ref: reference }) => {
      if (typeof reference !== "string") return;
      const steps = reference.replace(/^#\/?/, "").split("/");
      const found = steps.reduce<unknown>(
        (node, step) => (node as Record<string, unknown> | undefined)?.[step],
        schema,
      );
      if (found === undefined) missing.push(reference);
    });
    expect(missing).toEqual([]);
  });

  it("knows the fields of a route that core reads, and `enabled`", () => {
    expect(Object.keys(definitions["route"]!.properties!).sort()).toEqual([...ROUTE_FIELDS, "enabled"].sort());
  });

  it("carries descriptions, defaults, examples, what is deprecated and what mqb adds", () => {
    const properties = definitions["endpoint.file"]!.properties!;
    expect(properties["path"]).toMatchObject({ description: expect.any(String), examples: ["/data/orders.jsonl"] });
    expect(properties["name_by"]).toMatchObject({ default: "auto" });
    expect(properties["idempotency"]).toMatchObject({ deprecated: true });
    expect(definitions["endpoint.file"]).toMatchObject({ "x-mqb-default-batch-size": 4096 });
    expect(JSON.stringify(properties["encryption"])).toContain('"x-mqb-secret":true');
  });

  it("refuses what is unknown in every object that it describes", () => {
    const open: JsonSchema[] = [];
    eachNode(definitions, (node) => {
      const members = Object.keys(node.properties ?? {}).length;
      if (node.type === "object" && members > 0 && node["additionalProperties"] === undefined) open.push(node);
    });
    expect(open).toEqual([]);
  });

  it("comes back to the endpoints where one is nested", () => {
    expect(definitions["middleware.dlq"]!.properties!["endpoint"]).toMatchObject({ $ref: "#/$defs/outputEndpoint" });
  });

  it("keeps the sides apart of what holds an endpoint of its own side", () => {
    const both = definePlugin({
      name: "both",
      apiVersion: 1,
      middlewares: {
        tee: defineMiddleware({
          description: "",
          schema: z.strictObject({ to: z.unknown().meta({ "x-mqb-endpoint": "same" }), tree: z.lazy(() => tree) }),
          input: (inner) => inner,
          output: (inner) => inner,
        }),
      },
    });
    const defs = configurationSchema(createRegistry([both]))["$defs"] as Record<string, JsonSchema>;
    expect(defs["middleware.tee.input"]!.properties!["to"]).toMatchObject({ $ref: "#/$defs/inputEndpoint" });
    expect(defs["middleware.tee.output"]!.properties!["to"]).toMatchObject({ $ref: "#/$defs/outputEndpoint" });
    expect(JSON.stringify(defs["middleware.tee.output"])).toContain('"#/$defs/middleware.tee.output/$defs/');
  });
});

const tree: z.ZodType = z.strictObject({
  get children() {
    return z.array(tree).optional();
  },
});
