import {
  type Consumer,
  defineEndpoint,
  defineErrors,
  definePlugin,
  type EndpointUri,
  errorRow,
  type Publisher,
} from "@mqb/core/plugin";
import * as z from "zod";

const errors = defineErrors("FAKE_STRUCTURAL", {
  FORM: errorRow<{ reason: string }>({ kind: "config", message: (p) => p.reason }),
});

const never = (): never => {
  throw new Error("a check must not open anything");
};
export const OUTPUT = {
  capabilities: () => ({ acknowledges: true, replies: false, orderedPublish: false, idempotent: false }),
  open: (): Publisher => never(),
};
export const INPUT = {
  capabilities: () => ({
    acknowledges: true,
    commitsInOrder: false,
    replies: false,
    stableIds: true,
    replayablePosition: false,
    bounded: true,
  }),
  open: (): Consumer => never(),
};
const endpoint = z.unknown().meta({ "x-mqb-endpoint": "output" });

const fanout = z.array(endpoint).min(1);
const request = z.strictObject({ to: endpoint, forward_to: endpoint.optional() });
const switching = z.strictObject({
  metadata_key: z.string().optional(),
  cases: z
    .record(z.string(), endpoint)
    .refine((cases) => Object.keys(cases).length > 0)
    .optional(),
  when: z
    .array(z.strictObject({ when: z.string(), to: endpoint }))
    .min(1)
    .optional(),
  default: endpoint.optional(),
});
type Switching = z.output<typeof switching>;

/** Endpoints that are made of others, with the URI forms that such endpoints have. */
export const structural = definePlugin({
  name: "structural",
  apiVersion: 1,
  endpoints: {
    fanout: defineEndpoint<unknown[]>({
      description: "Every branch",
      schema: fanout as never,
      output: OUTPUT,
      children: (legs) => legs.map((leg, index) => ({ path: `[${index}]`, side: "output", endpoint: leg })),
    }),
    request: defineEndpoint<{ to?: unknown; forward_to?: unknown }>({
      description: "Asks, and passes the answer on",
      schema: request as never,
      output: OUTPUT,
      children: ({ to, forward_to: next }) => [
        { path: "to", side: "output", endpoint: to },
        ...(next === undefined ? [] : [{ path: "forward_to", side: "output" as const, endpoint: next }]),
      ],
    }),
    switch: defineEndpoint<Switching>({
      description: "One of several",
      schema: switching as never,
      output: OUTPUT,
      children: ({ cases = {}, when = [], default: other }) => [
        ...Object.entries(cases).map(([name, to]) => ({
          path: `cases.${name}`,
          side: "output" as const,
          endpoint: to,
        })),
        ...when.map(({ to }, at) => ({ path: `when[${at}].to`, side: "output" as const, endpoint: to })),
        ...(other === undefined ? [] : [{ path: "default", side: "output" as const, endpoint: other }]),
      ],
    }),
    response: defineEndpoint({ description: "Answers", schema: z.strictObject({}), output: OUTPUT }),
    reader: defineEndpoint<{ input?: unknown }>({
      description: "A source inside a sink",
      schema: z.strictObject({ input: z.unknown().meta({ "x-mqb-endpoint": "input" }) }) as never,
      input: INPUT,
      output: OUTPUT,
      children: ({ input }) => [{ path: "input", side: "input", endpoint: input }],
    }),
  },
  schemes: {
    fanout: {
      endpoint: "fanout",
      ownParams: true,
      config: ({ params }) =>
        params.map(([name, to]) => {
          if (name === "to") return to;
          if (name === "mirror") return { request: { to, forward_to: null } };
          throw errors.FORM({ reason: `no such branch: ${name}` });
        }),
      uri: (legs) => ({
        scheme: "fanout",
        body: "",
        params: (legs as unknown[]).map((leg) => ["to", asText(leg)] as const),
      }),
    },
    request: {
      endpoint: "request",
      ownParams: true,
      config({ params }) {
        const strange = params.find(([name]) => name !== "to" && name !== "forward_to");
        if (strange) throw errors.FORM({ reason: `no such parameter: ${strange[0]}` });
        return { forward_to: null, ...Object.fromEntries(params) };
      },
      uri(config) {
        const { to, forward_to: next } = config as { to?: unknown; forward_to?: unknown };
        const params: [string, string][] = [["to", asText(to)]];
        if (next !== undefined && next !== null) params.push(["forward_to", asText(next)]);
        return { scheme: "request", body: "", params };
      },
    },
    switch: { endpoint: "switch", ownParams: true, config: switchConfig, uri: switchUri },
    response: { endpoint: "response", config: () => ({}) },
  },
});

function switchConfig({ params }: EndpointUri): Record<string, unknown> {
  const config: Record<string, unknown> = {};
  const cases: Record<string, string> = {};
  const when: { when: string; to: string }[] = [];
  for (const [index, [name, value]] of params.entries()) {
    if (name === "metadata_key" || name === "default") config[name] = value;
    else if (name.startsWith("case.")) cases[name.slice(5)] = value;
    else if (name === "when") {
      const [next, to] = params[index + 1] ?? [];
      if (next !== "to") throw errors.FORM({ reason: "a `when` is not followed by its `to`" });
      when.push({ when: value, to: to! });
    }
  }
  return {
    ...config,
    ...(Object.keys(cases).length > 0 ? { cases } : {}),
    ...(when.length > 0 ? { when } : {}),
  };
}

function switchUri(config: unknown): EndpointUri {
  const { metadata_key: key, cases = {}, when = [], default: other } = config as Switching;
  const params: [string, string][] = [];
  if (key !== undefined) params.push(["metadata_key", key]);
  for (const [name, to] of Object.entries(cases)) params.push([`case.${name}`, asText(to)]);
  for (const one of when) params.push(["when", one.when], ["to", asText(one.to)]);
  if (other !== undefined) params.push(["default", asText(other)]);
  return { scheme: "switch", body: "", params };
}

/** An endpoint that has no URI form stands here as it is; no parameter can say it. */
function asText(endpoint: unknown): string {
  return typeof endpoint === "string" ? endpoint : "";
}
