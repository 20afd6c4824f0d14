import { isMqbError } from "@mqb/core/plugin";
import { jsonErrors, parseJson, writeJson } from "@mqb/json";
import { MAX_JSON_DEPTH } from "@mqb/kernel";

/**
 * A well-made document with each key of each object once: at its first place, with its last value. Undefined when it is so
 * already. All levels at once, so that nobody comes back for those further in.
 */
export function withoutRepeats(document: Uint8Array): Buffer | undefined {
  try {
    parseJson(document, { maxDepth: MAX_JSON_DEPTH, duplicateKeys: "refuse" });
    return undefined;
  } catch (error) {
    if (!isMqbError(error) || error.code !== jsonErrors.DUPLICATE_KEY.code) throw error;
    return writeJson(parseJson(document, { maxDepth: MAX_JSON_DEPTH }));
  }
}
