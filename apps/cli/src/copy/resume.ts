import { createHash } from "node:crypto";
import { exactJson, withoutSecrets } from "@mqb/config/uri";
import type { Registry, RoutePlan } from "@mqb/core";
import { cliErrors } from "../errors.ts";
import { ordered } from "../ordered.ts";

type Endpoint = Readonly<Record<string, unknown>>;

/** How a copy goes on where it ended: it does not, the source keeps its position, or under a name of mqb's. */
export type ResumeKind = "off" | "native" | "cursor" | "external-checkpoint";

export interface Resumed {
  readonly input: Endpoint;
  readonly kind: ResumeKind;
}

/** What a position belongs to. */
export interface CopyOfRows {
  readonly source: unknown;
  readonly destination: unknown;
  readonly filter: string | undefined;
}

/**
 * `copy-` and 32 hexadecimal digits: the same for the same source, destination and filter, however they are spelled. A new
 * password keeps the position; another destination or filter begins anew.
 */
export function copyIdentity({ source, destination, filter }: CopyOfRows, plan: RoutePlan): string {
  const identity = {
    source: withoutSecrets(source, plan, ["input"]),
    destination: withoutSecrets(destination, plan, ["output"]),
    ...(filter === undefined ? {} : { filter }),
  };
  const digest = createHash("sha256")
    .update(exactJson(ordered(identity)))
    .digest("hex");
  return `copy-${digest.slice(0, 32)}`;
}

/** The input with the fields that make it keep its position under `id`. Throws a `config` error where that cannot be. */
export function resumeInput(input: Endpoint, id: string, registry: Registry): Resumed {
  const { type, config, definition } = partsOf(input, registry);
  if (type === "file") throw cliErrors.RESUME_FILE({});
  if (!definition?.resume) throw cliErrors.RESUME_UNSUPPORTED({ source: type });
  const resumed = definition.resume(config, id);
  return { input: { ...input, [type]: resumed }, kind: kindOf(config, resumed) };
}

/** The input without what would read or keep a position, as far as that is optional. */
export function withoutPosition(input: Endpoint, registry: Registry): Endpoint {
  const { type, config, definition } = partsOf(input, registry);
  if (definition?.resume) return { ...input, [type]: definition.resume(config, undefined) };
  const field = ["cursor_id", "checkpoint_store"].find((name) => Object.hasOwn(config, name));
  if (field !== undefined) throw cliErrors.NO_RESUME_UNSUPPORTED({ field });
  return input;
}

function partsOf(input: Endpoint, registry: Registry) {
  const [type = "", value] = Object.entries(input).find(([key]) => key !== "middlewares") ?? [];
  const config = typeof value === "object" && value !== null ? (value as Endpoint) : {};
  return { type, config, definition: registry.endpoint(type)?.definition };
}

function kindOf(before: Endpoint, after: Endpoint): ResumeKind {
  if (after === before) return "native";
  const isNew = (name: string): boolean => after[name] !== undefined && after[name] !== null;
  return isNew("checkpoint_store") ? "external-checkpoint" : isNew("cursor_id") ? "cursor" : "native";
}
