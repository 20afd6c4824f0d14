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
export type SchemeDefinition = FieldScheme | OwnScheme;

/** The parameters of the URI are fields of the endpoint. */
export interface FieldScheme extends SchemeBase {
  /** Fields that come from the scheme and body; parameters named like a field override them. Throws a `config` error. */
  config(uri: EndpointUri, side: Side): Readonly<Record<string, unknown>>;
  /** Parameters that are no field of the endpoint stay on the connection URL, in this field, instead of being refused. */
  readonly driverParams?: string;
  readonly ownParams?: false;
}

/** The scheme takes the whole URI itself, as those of structural endpoints do. */
export interface OwnScheme extends SchemeBase {
  /**
   * The whole configuration, of any shape: a list of branches, a text, fields. Gets all parameters, in their order and as
   * often as they are written (`to=…&to=…`, `when=…&to=…`, `case.V=…`); no field matching is done. Where the configuration
   * has a text in the place of an endpoint (see `children` of the endpoint), that text is read as a URI. Throws a `config`
   * error.
   */
  config(uri: EndpointUri, side: Side): unknown;
  readonly driverParams?: never;
  readonly ownParams: true;
}

interface SchemeBase {
  /** The endpoint's key. */
  readonly endpoint: string;
  /**
   * The way back, for `mqb to-cli`: a URI whose `config` gives as much of this configuration as it can; fields that are
   * left are added as parameters. Nested endpoints stand in it as URIs. Undefined = it has none. Needed where the body of
   * the URI or its parameters are not fields; the result is parsed again and refused when it means something else.
   */
  uri?(config: unknown, side: Side): EndpointUri | undefined;
}
