/** Configuration of mqb: from text, variables and URIs to checked routes. Knows endpoints only through the registry. */

export { type CheckedConfiguration, type ConfiguredRoute, checkConfiguration, concernsOneRoute } from "./check.ts";
export type { AppSettings, WrittenRoute } from "./document/app.ts";
export { type Configuration, loadConfiguration, readSource } from "./document/load.ts";
export { originOf, type ShownValue } from "./document/origin.ts";
export {
  type Filled,
  type Location,
  locate,
  type Place,
  type Source,
  type SourceText,
  type SourceValue,
  type SourceVariable,
} from "./document/place.ts";
export type { DocumentProblem, Excerpt } from "./document/problem.ts";
export { namesInRoutes } from "./named.ts";
export { type RenderOptions, renderProblem } from "./render.ts";
export * from "./uri.ts";
