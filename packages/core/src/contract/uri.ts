import type { Side } from "./context.ts";

/** A connection URI taken apart, before its parameters are matched with configuration fields. */
export interface EndpointUri {
  /** Lower case, without the colon. */
  readonly scheme: string;
  /** What stands between the scheme's colon and the `?`, as written. */
  readonly body: string;
  /** Decoded parameters in their order; names may repeat. */
  readonly params: readonly (readonly [name: string, value: string])[];
}

/** How a URI scheme becomes an endpoint configuration. */
export interface SchemeDefinition {
  /** The endpoint's key. */
  readonly endpoint: string;
  /** Fields that come from the scheme and body; parameters named like a field override them. Throws a `config` error. */
  config(uri: EndpointUri, side: Side): Readonly<Record<string, unknown>>;
  /** Parameters that are no field of the endpoint stay on the connection URL, in this field, instead of being refused. */
  readonly driverParams?: string;
  /** Takes the whole URI itself (structural endpoints): `config` gets all parameters and no field matching is done. */
  readonly ownParams?: boolean;
}
