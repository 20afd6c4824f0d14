import type { EndpointUri, SchemeDefinition } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { paramsOf, refuseBody } from "./params.ts";

/** `fanout:?to=URI&to=URI&mirror=URI`: the first `to` answers; what a mirror answers, and its failures, are discarded. */
export const fanoutScheme: SchemeDefinition = {
  endpoint: "fanout",
  ownParams: true,
  config(uri) {
    refuseBody(uri);
    paramsOf(uri, ["to", "mirror"]);
    if (uri.params.length === 0) throw refused(uri, "it needs a branch: ?to=");
    return uri.params.map(([name, to]) => (name === "to" ? to : { request: { to, forward_to: null } }));
  },
  uri(legs) {
    return uriOf(
      "fanout",
      (legs as readonly unknown[]).map((leg) => ["to", leg]),
    );
  },
};

/** `request:?to=URI&forward_to=URI`; without `forward_to` the answers are discarded. */
export const requestScheme: SchemeDefinition = {
  endpoint: "request",
  ownParams: true,
  config(uri) {
    refuseBody(uri);
    const params = paramsOf(uri, ["to", "forward_to"]);
    const to = params.get("to");
    if (to === undefined) throw refused(uri, "it needs ?to=");
    return { to, forward_to: params.get("forward_to") ?? null };
  },
  uri(config) {
    const { to, forward_to: next } = config as { readonly to?: unknown; readonly forward_to?: unknown };
    return uriOf(
      "request",
      next === null
        ? [["to", to]]
        : [
            ["to", to],
            ["forward_to", next],
          ],
    );
  },
};

/** `response:` */
export const responseScheme: SchemeDefinition = {
  endpoint: "response",
  ownParams: true,
  config(uri) {
    refuseBody(uri);
    paramsOf(uri, []);
    return {};
  },
  uri: () => ({ scheme: "response", body: "", params: [] }),
};

export function refused({ scheme }: EndpointUri, reason: string): Error {
  return errors.SCHEME_FORM({ scheme, reason });
}

/** Undefined when an endpoint in a parameter has no URI form. */
export function uriOf(scheme: string, params: readonly (readonly [string, unknown])[]): EndpointUri | undefined {
  const texts = params.flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : []));
  return texts.length === params.length ? { scheme, body: "", params: texts } : undefined;
}
