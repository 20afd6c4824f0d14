import type { Problem, RoutePlan } from "@mqb/core";
import { createSchemas, type Schemas } from "../fields/schemas.ts";
import { certificates } from "./certificates.ts";
import { clearSecret } from "./clear-secret.ts";
import { compressedName } from "./compressed-name.ts";
import { deadLetters } from "./dead-letters.ts";
import { defeatedSetting } from "./defeated-setting.ts";
import { freshIds } from "./fresh-ids.ts";
import { inside } from "./inside.ts";
import type { ConfigurationLint, FoundInRoute, RouteLint, Services, Written } from "./lint.ts";
import { listening } from "./listening.ts";
import { loop } from "./loop.ts";
import { metadataOrder } from "./metadata-order.ts";
import { middlewareOrder } from "./middleware-order.ts";
import { noAnswer } from "./no-answer.ts";
import { nullWithOptions } from "./null-with-options.ts";
import { oneWorker } from "./one-worker.ts";
import { otherSide } from "./other-side.ts";
import { plainTransport } from "./plain-transport.ts";
import { sameFile } from "./same-file.ts";
import { sharedSource } from "./shared-source.ts";
import { shortTimeout } from "./short-timeout.ts";
import { type Subject, subjectOf } from "./subject.ts";
import { template } from "./template.ts";
import { tls } from "./tls.ts";
import { urlPassword } from "./url-password.ts";

export type { FoundInRoute, Written } from "./lint.ts";
export { type Subject, subjectOf } from "./subject.ts";

const ROUTE: readonly RouteLint[] = [
  nullWithOptions,
  sameFile,
  compressedName,
  loop,
  middlewareOrder,
  shortTimeout,
  inside,
  metadataOrder,
  oneWorker,
  otherSide,
  defeatedSetting,
  template,
  clearSecret,
  urlPassword,
  plainTransport,
  certificates,
  tls,
  deadLetters,
  noAnswer,
  freshIds,
];
const CONFIGURATION: readonly ConfigurationLint[] = [listening, sharedSource];

/** A checked route that has a plan. */
export interface LintedRoute {
  readonly name: string;
  /** As written, or with defaults. */
  readonly config: unknown;
  readonly plan: RoutePlan;
}

const UNKNOWN: Written = { isInClear: () => false };

/**
 * What can be seen of a route without running it, beyond what its parts check by themselves: orders that do the opposite of
 * what was meant, settings without effect, secrets, loops. Opens nothing. An error among it keeps the route from starting.
 */
export function lintRoute(route: LintedRoute, where?: Written, schemas: Schemas = createSchemas()): Problem[] {
  return lintSubject(subjectOf(route, schemas), where);
}

/** As `lintRoute`, of a route that was taken apart already. */
export function lintSubject(subject: Subject, where: Written = UNKNOWN): Problem[] {
  return ROUTE.flatMap((lint) => lint(subject, where));
}

/** What routes of one configuration do to each other, and to the addresses that the process itself listens on. */
export function lintConfiguration(subjects: readonly Subject[], services: Services = {}): FoundInRoute[] {
  return CONFIGURATION.flatMap((lint) => lint(subjects, services));
}
