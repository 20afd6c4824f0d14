import type { ConfigSchema, MaybePromise, Message, OpenContext } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** Takes any configuration as it is; the factory decides what to make of it. */
export const ANYTHING: ConfigSchema = {
  "~standard": { version: 1, vendor: "mqb", validate: (value) => ({ value }) },
};

/** Makes the hooks for one place of a route. Called with the route's name at each opening. */
export type HooksFactory<Hooks> = (route: string, config: unknown) => MaybePromise<Hooks>;

/** What every set of hooks may have. Called once, when the place is closed. */
export interface Closable {
  close?(): MaybePromise<void>;
}

export function requireFactory(factory: unknown, what: string): void {
  if (typeof factory !== "function") throw new TypeError(`${what} needs a function that makes its hooks`);
}

export async function makeHooks<Hooks>(
  factory: HooksFactory<Hooks>,
  config: unknown,
  { route, path }: Pick<OpenContext, "route" | "path">,
): Promise<Hooks> {
  const hooks: unknown = await factory(route, config);
  if (typeof hooks !== "object" || hooks === null) throw errors.HOOKS_MISSING({ path, got: nameOf(hooks) });
  return hooks as Hooks;
}

/** Messages of another copy of core count too. */
export function isMessage(value: unknown): value is Message {
  if (typeof value !== "object" || value === null || value instanceof Error) return false;
  const { payload, metadata } = value as { payload?: unknown; metadata?: unknown };
  return payload instanceof Uint8Array && metadata instanceof Map;
}

export function nameOf(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? (value.constructor?.name ?? "an object") : `a ${typeof value}`;
}
