import type { ResolvedEndpoint, ResolvedMiddleware, RoutePlan } from "@mqb/core";
import { formatPath } from "@mqb/core";
import { settingsOf } from "./settings.ts";

/** One thing that touches a message, or that a message goes to. */
export interface Step {
  /** Where it is written: `output.middlewares[0].dlq`. */
  readonly path: string;
  readonly name: string;
  readonly kind: "source" | "middleware" | "sink" | "aside";
  readonly text: string;
}

/** What touches a message, in the order in which it does. Lists of middlewares are read from their last entry. */
export function roadOf({ input, output }: RoutePlan): Step[] {
  return [
    endpointStep(input, "source"),
    ...aside(input.children, input.middlewares),
    ...input.middlewares.toReversed().flatMap(middlewareSteps),
    ...output.middlewares.toReversed().flatMap(middlewareSteps),
    endpointStep(output, "sink"),
    ...aside(output.children, output.middlewares),
  ];
}

function middlewareSteps(middleware: ResolvedMiddleware): Step[] {
  const { name, path, definition, children } = middleware;
  const step: Step = { path: formatPath(path), name, kind: "middleware", text: definition.description };
  return [step, ...children.map((child) => endpointStep(child, "aside"))];
}

/** The nested endpoints of an endpoint itself; those of its middlewares stand with them. */
function aside(children: readonly ResolvedEndpoint[], middlewares: readonly ResolvedMiddleware[]): Step[] {
  const ofMiddlewares = new Set(middlewares.flatMap((one) => one.children));
  return children.filter((child) => !ofMiddlewares.has(child)).map((child) => endpointStep(child, "aside"));
}

function endpointStep(endpoint: ResolvedEndpoint, kind: Step["kind"]): Step {
  const { type, configPath, definition } = endpoint;
  const settings = settingsOf(endpoint);
  const text = settings === "" ? definition.description : `${definition.description} (${settings})`;
  return { path: formatPath(configPath), name: type, kind, text };
}
