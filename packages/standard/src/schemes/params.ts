import type { EndpointUri } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** The parameters of a URI by name; of one that is given twice the last one counts. Refuses those not in `known`. */
export function paramsOf({ scheme, params }: EndpointUri, known: readonly string[]): Map<string, string> {
  for (const [param] of params) if (!known.includes(param)) throw errors.SCHEME_PARAM({ scheme, param, known });
  return new Map(params);
}

/** `true` and `false` as a boolean; any other text stays one, for the schema to refuse. */
export function asBoolean(text: string): boolean | string {
  return text === "true" ? true : text === "false" ? false : text;
}

/** A decimal integer as a number; any other text stays one, for the schema to refuse. */
export function asInteger(text: string): number | string {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/** Refuses a URI that has something between the scheme and its parameters. */
export function refuseBody({ scheme, body }: EndpointUri): void {
  // What stands there is not shown: it may be a password.
  if (body !== "" && body !== "//")
    throw errors.SCHEME_FORM({ scheme, reason: `it takes nothing between "${scheme}:" and the "?"` });
}
