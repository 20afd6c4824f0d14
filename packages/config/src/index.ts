/** Configuration of mqb: from text, variables and URIs to checked routes. Knows endpoints only through the registry. */

export {
  type CheckedConfiguration,
  type CheckOptions,
  type ConfiguredRoute,
  checkConfiguration,
  concernsOneRoute,
} from "./check.ts";
export { type Configuration, loadConfiguration, readSource } from "./document/load.ts";
export { originOf } from "./document/origin.ts";
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
export { type DocumentProblem, type Excerpt, inDocumentOrder } from "./document/problem.ts";
export type { NamedEndpoint } from "./document/publishers.ts";
export { documentPath, type WrittenRoute } from "./document/routes.ts";
export type { AppSettings } from "./document/settings.ts";
export { withSchemasOnce } from "./fields/schemas.ts";
export type { Install } from "./missing-packages.ts";
export { namesInRoutes } from "./named.ts";
export { type RenderOptions, renderProblem } from "./render.ts";
export { configurationSchema } from "./schema/configuration.ts";
export { listValues, type ShownValue } from "./show.ts";
export { type Command, toCommand, toCopyCommand } from "./to-cli/command.ts";
export * from "./uri.ts";
