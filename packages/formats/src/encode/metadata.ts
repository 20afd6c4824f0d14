import type { Metadata } from "@mqb/core/plugin";
import { formatErrors } from "../errors.ts";
import { SOURCE_PREFIX } from "../format.ts";
import { hasLoneSurrogate } from "../json/compact.ts";

/**
 * A message's metadata as a JSON object, without source positions; `extra` is added last. Undefined when there is
 * nothing. Throws a `permanent` error for text that has no UTF-8 form.
 */
export function metadataJson(metadata: Metadata, extra?: readonly [string, string]): string | undefined {
  let json = "";
  for (const [key, value] of metadata) {
    if (key.startsWith(SOURCE_PREFIX) || key === extra?.[0]) continue;
    if (hasLoneSurrogate(key) || hasLoneSurrogate(value))
      throw formatErrors.LONE_SURROGATE({ what: `metadata ${JSON.stringify(key)}` });
    json += `${json ? "," : ""}${JSON.stringify(key)}:${JSON.stringify(value)}`;
  }
  if (extra) json += `${json ? "," : ""}${JSON.stringify(extra[0])}:${JSON.stringify(extra[1])}`;
  return json ? `{${json}}` : undefined;
}
