import {
  type CheckContext,
  defineEndpoint,
  type Finding,
  isMap,
  kindOf,
  type OpenContext,
  type OutputCapabilities,
  type Publisher,
} from "@mqb/core/plugin";
import { combined } from "../structural/capabilities.ts";
import { probeNothing } from "../structural/probe.ts";
import { Reopening } from "../structural/reopening.ts";
import { type RequestSettings, requestSchema } from "./config.ts";
import { RequestPublisher } from "./publisher.ts";

export const request = defineEndpoint({
  description: "Asks one endpoint with each message and sends the answers to another",
  schema: requestSchema,
  structural: true,
  output: { capabilities, open },
  probe: probeNothing,
  children: ({ to, forward_to: next }) => [
    { path: "to", side: "output", endpoint: to },
    { path: "forward_to", side: "output", endpoint: next },
  ],
  check,
});

/** Those of `forward_to`: what becomes of a message is decided there, also when its request has failed. */
function capabilities(_: RequestSettings, { children }: CheckContext): OutputCapabilities {
  const both = combined(children);
  const { acknowledges, replies } = combined(children.filter((child) => child.path === "forward_to"));
  return { ...both, acknowledges, replies };
}

async function open({ to, forward_to: next }: RequestSettings, context: OpenContext): Promise<Publisher> {
  const { route, clock, log, path } = context;
  const discards = isNull(next);
  const openTo = () => context.openPublisher(to, "to");
  const first = await openTo().catch((error: unknown) => {
    // Where nobody waits for its answers, a route does not wait for it to be there.
    if (discards && kindOf(error, "connection") === "connection") return undefined;
    throw error;
  });
  const asked = new Reopening({ open: openTo, path: `${path}.request.to`, route, clock, log }, first);
  try {
    const forward = await context.openPublisher(next, "forward_to");
    return new RequestPublisher({
      to: asked,
      forward,
      discards,
      answers: context.declared?.replies ?? false,
      route,
      log,
    });
  } catch (error) {
    await asked.close();
    throw error;
  }
}

/** Written as `null`, `{}` or `{ null: … }`. */
function isNull(endpoint: unknown): boolean {
  if (endpoint === null || endpoint === "null") return true;
  return isMap(endpoint) && Object.keys(endpoint).every((key) => key === "null");
}

/** What makes endpoints answer that do not always; for the hint. */
const ANSWERS: Readonly<Record<string, string>> = {
  nats: "`request_reply: true`",
  memory: "`request_reply: true`",
  mongodb: "`request_reply: true`, `find` or `report_outcome: true`",
  sqlx: "`lookup_query`",
  clickhouse: "`lookup_query`",
  http_bulk: "`query`",
  zeromq: "`socket_type: req`",
};

/** An endpoint that never replies would take every message, and nothing would be passed on. */
function check(_: RequestSettings, { children }: CheckContext): Finding[] {
  const to = children.find((child) => child.path === "to");
  const next = children.find((child) => child.path === "forward_to");
  if (!to?.output || to.output.replies || !next || isNull(next.endpoint)) return [];
  const told = ANSWERS[to.type];
  const message = told
    ? `\`request.to\` is "${to.type}", which never replies as it is configured; it does with ${told}`
    : `\`request.to\` is "${to.type}", which never replies: there would be nothing to forward`;
  return [
    {
      level: "error",
      path: ["to"],
      code: "MQB_STANDARD_REQUEST_NEVER_REPLIES",
      message,
      hint: "name an endpoint that replies, or discard the answers with `forward_to: {}`",
    },
  ];
}
