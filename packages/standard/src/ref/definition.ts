import {
  type CheckContext,
  defineEndpoint,
  type InputCapabilities,
  type OpenContext,
  type OutputCapabilities,
} from "@mqb/core/plugin";
import * as z from "zod";
import { errors } from "../errors.ts";
import { probeNothing } from "../structural/probe.ts";

export const refSchema = z
  .string({ error: "expected the name of a registered endpoint" })
  .min(1, { error: "expected the name of a registered endpoint" })
  .meta({ description: "the name under which the host has registered the endpoint", examples: ["common_queue"] });

export type RefConfig = z.input<typeof refSchema>;

/**
 * Stands for an endpoint that the host has registered under a name. It is checked where it is used, as a nested endpoint
 * would be: unknown names, circles and wrong sides are start errors. Middlewares of the `ref` itself lie outside of those of
 * the endpoint.
 */
export const ref = defineEndpoint({
  description: "An endpoint that is registered under a name",
  schema: refSchema,
  structural: true,
  input: {
    capabilities: (_, context): InputCapabilities => only(context)?.input ?? NO_INPUT,
    open: (name, context) => context.openConsumer(lookUp(name, context), name),
  },
  output: {
    capabilities: (_, context): OutputCapabilities => only(context)?.output ?? NO_OUTPUT,
    open: (name, context) => context.openPublisher(lookUp(name, context), name),
  },
  probe: probeNothing,
  children(name, side, references) {
    const endpoint = references.get(name);
    if (endpoint === undefined) throw errors.REF_UNKNOWN({ name, known: references.names() });
    return [{ path: name, side, endpoint }];
  },
});

function only({ children }: CheckContext) {
  return children[0];
}

function lookUp(name: string, context: OpenContext): unknown {
  const endpoint = context.reference(name);
  if (endpoint === undefined) throw errors.REF_UNKNOWN({ name, known: [] });
  return endpoint;
}

// Of an endpoint that could not be checked: promises nothing.
const NO_INPUT: InputCapabilities = {
  acknowledges: false,
  commitsInOrder: true,
  replies: false,
  stableIds: false,
  replayablePosition: false,
  bounded: false,
};
const NO_OUTPUT: OutputCapabilities = { acknowledges: false, replies: false, orderedPublish: true, idempotent: false };
