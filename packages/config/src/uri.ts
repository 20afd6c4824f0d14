/** The part of this package that a command line without a configuration file needs: URIs, no YAML. */

export { type Address, formatAddress, isLoopback, parseAddress } from "./address.ts";
export { checkWithDefaults, type RouteCheck, type RouteDefaults } from "./check-route.ts";
export type { Environment } from "./environment.ts";
export { configErrors } from "./errors.ts";
export { exactJson } from "./exact.ts";
export { explainProblems } from "./fields/explain-problems.ts";
export { knownNames, packageFor } from "./known-packages.ts";
export { type LintedRoute, lintRoute } from "./lint/index.ts";
export { LEVELS, type Level, type LogFilter, levelOf, parseFilter } from "./log-filter.ts";
export type { Names } from "./named.ts";
export { secretsOfPlan, secretsOfPlans } from "./redact/plan-secrets.ts";
export { createRedactor, type Redactor } from "./redact/redactor.ts";
export { redactUri } from "./redact/uri.ts";
export { withoutSecrets, withReferences } from "./to-cli/secrets.ts";
export { shellQuoted } from "./to-cli/shell.ts";
export { endpointFromUri } from "./uri/endpoint.ts";
export { namesInUri } from "./uri/named.ts";
export { type ParsedUri, parseUri, type UriMiddleware } from "./uri/parse.ts";
export { toUri } from "./uri/write.ts";
