import { createRegistry, type Registry } from "@mqb/core";
import {
  type Consumer,
  defineEndpoint,
  defineMiddleware,
  definePlugin,
  type EndpointDefinition,
  type InputCapabilities,
  type MiddlewareDefinition,
  type OpenContext,
  type OutputCapabilities,
  type Plugin,
  type ProbeContext,
  type Publisher,
} from "@mqb/core/plugin";
import type * as z from "zod";
import { packageFor } from "../../src/index.ts";
import { BLOCKS } from "./blocks.ts";
import { ENDPOINTS, type EndpointStub } from "./endpoints.ts";
import { endpointsIn, type Node, parseFields, parseType, schemaOf } from "./shape.ts";
import { workspacePlugins } from "./workspace.ts";

/**
 * Every plugin of the workspace, and stubs for what none of them brings yet. `without` leaves out the packages of that
 * name, as if they were not installed.
 */
export async function registryWithStubs(without: readonly string[] = []): Promise<Registry> {
  const present = workspacePlugins();
  const real = present.filter((one) => !without.includes(one.name));
  const loaded = await Promise.all(
    real.map(async ({ folder }) => (await import(new URL("src/index.ts", folder).href)) as unknown),
  );
  return createRegistry([...loaded, stubsPlugin({ without })], { packageFor });
}

export interface StubsOptions {
  readonly without?: readonly string[];
  /** What an endpoint does when it is opened or looked at; it fails. */
  readonly opened?: Opened;
}

/** What becomes of a stub that is opened, for the side and with the configuration that it is opened with. */
export type Opened = (config: unknown, context: OpenContext | ProbeContext) => never;

/** What no plugin of the workspace brings, as one plugin. */
export function stubsPlugin({ without = [], opened = neverOpened }: StubsOptions = {}): Plugin {
  const present = workspacePlugins();
  const endpoints = present.flatMap((one) => one.manifest.endpoints);
  const missing = Object.entries(ENDPOINTS).filter(([name, { from }]) => {
    return !endpoints.includes(name) && !without.includes(from);
  });
  return definePlugin({
    name: "stubs",
    apiVersion: 1,
    endpoints: {
      ...Object.fromEntries(missing.map(([name, stub]) => [name, endpointOf(stub, opened)])),
      my_sink: foreign("both", opened),
      pulsar: foreign("both", opened),
    },
    middlewares: {
      my_enricher: foreignMiddleware(),
    },
  });
}

/** What somebody else has written: takes anything. */
function foreign(sides: EndpointStub["sides"], opened: Opened): EndpointDefinition {
  return endpointOf({ from: "", sides, type: "any" }, opened);
}

function endpointOf(stub: EndpointStub, opened: Opened): EndpointDefinition {
  const node = nodeOf(stub);
  const { positions = false, replies } = stub;
  const input: InputCapabilities = {
    acknowledges: true,
    commitsInOrder: false,
    replies: replies === true,
    stableIds: true,
    replayablePosition: positions,
    bounded: false,
  };
  const output = (config: Readonly<Record<string, unknown>>): OutputCapabilities => ({
    acknowledges: true,
    replies: replies === true || (typeof replies === "string" && config[replies] === true),
    orderedPublish: false,
    idempotent: false,
    ...(stub.names && config["name_by"] === "source_position" ? { needsPositions: "name_by: source_position" } : {}),
  });
  return defineEndpoint<Readonly<Record<string, unknown>>>({
    description: "",
    schema: wholeSchema(stub, node) as never,
    children: (config) => endpointsIn(node, config),
    ...(stub.aliases ? { aliases: stub.aliases } : {}),
    ...(stub.structural ? { structural: true } : {}),
    probe: async (config, context) => opened(config, context),
    ...(stub.sides === "out"
      ? {}
      : { input: { capabilities: () => input, open: (config, context): Consumer => opened(config, context) } }),
    ...(stub.sides === "in"
      ? {}
      : { output: { capabilities: output, open: (config, context): Publisher => opened(config, context) } }),
  }) as EndpointDefinition;
}

function foreignMiddleware(): MiddlewareDefinition {
  const node = parseType("any", BLOCKS);
  return defineMiddleware<unknown>({
    description: "",
    schema: schemaOf(node),
    children: (config) => endpointsIn(node, config),
    input: () => neverOpened(),
    output: () => neverOpened(),
  });
}

type Shaped = Pick<EndpointStub, "fields" | "type" | "marks" | "facts">;

function nodeOf({ fields, type, marks = {} }: Shaped): Node {
  if (type !== undefined) return parseType(type, BLOCKS);
  const node = parseFields(fields ?? "", BLOCKS);
  if (node.kind !== "fields") return node;
  const marked = [...node.fields].map(
    ([name, field]) => [name, { ...field, marks: { ...field.marks, ...asMarks(marks[name]) } }] as const,
  );
  return { kind: "fields", fields: new Map(marked) };
}

function wholeSchema(stub: Shaped, node: Node): z.ZodType {
  return schemaOf(node).meta(asMarks(stub.facts));
}

function asMarks(facts: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [`x-mqb-${name}`, value]));
}

function neverOpened(): never {
  throw new Error("a stub cannot be opened");
}
