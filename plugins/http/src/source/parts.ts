import type { Clock } from "@mqb/core/plugin";
import type { Codings } from "../wire/codings.ts";
import type { Answers } from "./answers.ts";
import type { SourceSettings } from "./settings.ts";
import type { TlsFacts } from "./tls-facts.ts";

/** What all requests of one source share. */
export interface SourceParts {
  readonly settings: SourceSettings;
  readonly codings: Codings;
  readonly answers: Answers;
  readonly clock: Clock;
  readonly tls: TlsFacts;
  /** Told of requests that were answered with 202 and that the route will not see. */
  readonly lost: (count: number) => void;
}
