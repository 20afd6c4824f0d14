/** Configuration of mqb: from text, variables and URIs to checked routes. Knows endpoints only through the registry. */

export { type CheckedConfiguration, type ConfiguredRoute, checkConfiguration, concernsOneRoute } from "./check.ts";
export type { AppSettings, WrittenRoute } from "./document/app.ts";
export { type Configuration, loadConfiguration, readSource } from "./document/load.ts";
export { type Location, locate, type Place, type SourceText } from "./document/place.ts";
export type { DocumentProblem } from "./document/problem.ts";
export { namesInRoutes } from "./named.ts";
export { renderProblem } from "./render.ts";
export * from "./uri.ts";
