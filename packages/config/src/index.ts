/** Configuration of mqb: from text, variables and URIs to checked routes. Knows endpoints only through the registry. */

export {
  type CheckedConfiguration,
  type ConfiguredRoute,
  checkConfiguration,
  checkWithDefaults,
  concernsOneRoute,
  type RouteDefaults,
} from "./check.ts";
export type { AppSettings, WrittenRoute } from "./document/app.ts";
export { type Configuration, loadConfiguration, readSource } from "./document/load.ts";
export { type Location, locate, type Place, type SourceText } from "./document/place.ts";
export type { DocumentProblem } from "./document/problem.ts";
export type { Environment } from "./environment.ts";
export { configErrors } from "./errors.ts";
export { knownNames, packageFor } from "./known-packages.ts";
export { type Names, namesInRoutes } from "./named.ts";
export { createRedactor, type Redactor } from "./redact/redactor.ts";
export { redactUri } from "./redact/uri.ts";
export { renderProblem } from "./render.ts";
export { endpointFromUri } from "./uri/endpoint.ts";
export { namesInUri } from "./uri/named.ts";
export { type ParsedUri, parseUri, type UriMiddleware } from "./uri/parse.ts";
