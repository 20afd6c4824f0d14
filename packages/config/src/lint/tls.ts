import type { Problem } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { problem } from "./lint.ts";
import { isPlainScheme, schemeOf } from "./plain-transport.ts";
import { type EndpointPart, type Subject, settingOf } from "./subject.ts";

const HTTP = ["http", "ws"];
const FILES = ["ca_file", "cert_file", "key_file"];

/** A `tls` block that contradicts itself or its URL, or that nothing turns on. */
export function tls({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap((one) => {
    const block = settingOf(one, "tls");
    return isMap(block) ? [...contradiction(one, block), ...halfIdentity(one, block), ...turnedOff(one, block)] : [];
  });
}

type Block = Readonly<Record<string, unknown>>;

/** Where TLS is a scheme of its own, a URL without it cannot be made secure by the block. */
function contradiction({ name, path, config }: EndpointPart, block: Block): Problem[] {
  const scheme = schemeOf(config);
  if (block["required"] !== true || scheme === undefined || !HTTP.includes(scheme)) return [];
  const message = `"url" of "${name}" begins with ${scheme}://, but tls.required is true`;
  return [problem("error", "MQB_LINT_TLS", [...path, "tls", "required"], message, `write ${scheme}s:// in the URL`)];
}

function halfIdentity({ name, path }: EndpointPart, block: Block): Problem[] {
  if (typeof block["key_file"] !== "string" || typeof block["cert_file"] === "string") return [];
  const message = `tls.key_file of "${name}" needs tls.cert_file beside it`;
  return [problem("error", "MQB_LINT_TLS", [...path, "tls", "key_file"], message, "name the certificate of the key")];
}

function turnedOff({ name, path, config }: EndpointPart, block: Block): Problem[] {
  const written = FILES.find((field) => typeof block[field] === "string");
  const scheme = schemeOf(config);
  const isOff = block["required"] !== true && (scheme === undefined || isPlainScheme(scheme));
  if (written === undefined || !isOff) return [];
  const message = `tls.${written} of "${name}" has no effect: nothing turns TLS on`;
  return [problem("warning", "MQB_LINT_TLS", [...path, "tls", written], message, "set tls.required: true")];
}
