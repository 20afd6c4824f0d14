import { nearest, type Registry, suggest } from "@mqb/core";
import { configErrors } from "../errors.ts";
import { knownNames, packageFor } from "../known-packages.ts";

/** The scheme is none that is installed: says which package brings it, or which one was meant. */
export function unknownScheme(scheme: string, registry: Registry): Error {
  const endpoint = scheme.replaceAll("-", "_");
  const brings = registry.packageFor("scheme", scheme) ?? registry.packageFor("endpoint", endpoint);
  if (brings !== undefined) return configErrors.URI_SCHEME({ scheme, ...missing(brings, registry) });
  const installed = registry.names("scheme");
  const near = nearest(scheme, [...installed, ...knownNames("scheme")]);
  const hint = `${nearHint(near, installed)}known schemes: ${installed.join(", ") || "none"}`;
  return configErrors.URI_SCHEME({ scheme, known: false, installed: false, hint });
}

export function unknownMiddleware(name: string, registry: Registry): Error {
  const brings = registry.packageFor("middleware", name);
  if (brings !== undefined) return configErrors.URI_MIDDLEWARE({ name, ...missing(brings, registry) });
  const hint = suggest(name, registry.names("middleware"));
  return configErrors.URI_MIDDLEWARE({ name, known: false, installed: false, hint });
}

/** A package that is installed and does not have it will not have it after it was installed again. */
function missing(brings: string, registry: Registry): { known: true; installed: boolean; hint: string } {
  const installed = registry.plugins.some((plugin) => plugin.name === brings);
  const hint = installed ? `the installed ${brings} does not have it; a newer version may` : `install ${brings}`;
  return { known: true, installed, hint };
}

function nearHint(near: string | undefined, installed: readonly string[]): string {
  if (near === undefined) return "";
  const from = installed.includes(near) ? undefined : packageFor("scheme", near);
  return `did you mean "${near}:"?${from === undefined ? "" : ` (install ${from})`} `;
}
