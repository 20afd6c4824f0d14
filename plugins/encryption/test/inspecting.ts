import { inspect } from "node:util";
import { isMqbError } from "@mqb/core/plugin";

export function codeOf(error: unknown): string {
  if (!isMqbError(error)) throw new TypeError(`no error of mqb: ${inspect(error)}`);
  return error.code;
}

/** Everything that a log could show of it. */
export function inspectable(value: unknown): string {
  const shown = inspect(value, { depth: 9, showHidden: true });
  const { message, stack, hint } = value as { message?: string; stack?: string; hint?: string };
  return [shown, JSON.stringify(value), message, stack, hint].join("\n");
}
