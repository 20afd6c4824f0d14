import { isMqbError } from "@mqb/core/plugin";
import { parseJson } from "@mqb/json";

/** What went wrong, as `mqb.transform_error` and the dead letters spell it. */
export type Reason = "coercion" | "enum" | "type_mismatch" | "missing_required" | "content" | "parse" | "expression";

/** Why one message cannot be transformed. Holds no value of it. */
export interface Failure {
  readonly path: string;
  readonly reason: Reason;
  readonly text: string;
}

const DEPTH = 1024;

/** Why these bytes are not JSON; undefined when they are. For failures only: makes a tree. */
export function whyNotJson(bytes: Uint8Array): string | undefined {
  try {
    parseJson(bytes, { maxDepth: DEPTH });
    return undefined;
  } catch (error) {
    return isMqbError(error) ? error.message.replace(/^not JSON: /, "") : String(error);
  }
}

/** The failure of a payload that is not JSON; undefined when it is. */
export function parseFailure(payload: Uint8Array): Failure | undefined {
  const why = whyNotJson(payload);
  return why === undefined ? undefined : { path: "$", reason: "parse", text: `payload is not valid JSON: ${why}` };
}
