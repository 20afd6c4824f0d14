import type { Environment } from "../environment.ts";
import { configErrors } from "../errors.ts";

const REFERENCE = /\$\$|\$\{([^{}]*)\}|\$([A-Za-z_]\w*)/g;
const NAME = /^([A-Za-z_]\w*)(?::-(.*))?$/s;
const TEMPLATE = /^(?:payload|metadata|message|gen|env):/;

/**
 * Puts environment variables into a URI as text, before it is taken apart: a variable may hold a part of it or all of
 * it. Unlike in a file, a variable that is not set is an error: there is nothing else that the text could mean.
 */
export function expandVariables(uri: string, shown: string, environment: Environment): string {
  return uri.replace(REFERENCE, (written: string, braced?: string, bare?: string) => {
    if (written === "$$") return written;
    const [, name, fallback] = bare === undefined ? (NAME.exec(braced ?? "") ?? []) : [bare, bare];
    if (name === undefined) {
      if (!TEMPLATE.test(braced ?? "")) return written;
      throw configErrors.URI_TEMPLATE({ token: written, escaped: `$%7B${braced}%7D` });
    }
    const value = environment[name];
    if (fallback !== undefined && (value === undefined || value === "")) return fallback;
    if (value === undefined) throw configErrors.URI_VARIABLE({ name, uri: shown });
    return value;
  });
}
