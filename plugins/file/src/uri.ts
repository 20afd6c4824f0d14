import type { EndpointUri, SchemeDefinition } from "@mqb/core/plugin";
import { CODEC_SUFFIX } from "@mqb/formats";
import { fileErrors } from "./errors.ts";

/** `file:name`, `file:/abs/name`, `file:///abs/name`. A name that ends like a codec's files sets `compression`. */
export const fileScheme: SchemeDefinition = {
  endpoint: "file",
  config(uri) {
    const path = pathOf(uri);
    const given = uri.params.some(([name]) => name === "compression");
    const codec = given ? undefined : codecOf(path);
    return codec === undefined ? { path } : { path, compression: codec };
  },
  uri(config) {
    const { path, compression } = config as { readonly path?: unknown; readonly compression?: unknown };
    if (typeof path !== "string") return undefined;
    // The name would set a codec that the configuration does not have.
    const isPlain = compression === undefined && codecOf(path) !== undefined;
    const body = path.replace(/[%?#]/g, encodeURIComponent);
    return {
      scheme: "file",
      body: path.startsWith("/") ? `//${body}` : body,
      params: isPlain ? [["compression", "none"]] : [],
    };
  },
};

function codecOf(path: string): string | undefined {
  return Object.entries(CODEC_SUFFIX).find(([, suffix]) => path.endsWith(suffix))?.[0];
}

function pathOf(uri: EndpointUri): string {
  let body = uri.body;
  if (body.startsWith("//")) {
    const slash = body.indexOf("/", 2);
    const host = slash < 0 ? body.slice(2) : body.slice(2, slash);
    if (host !== "" && host !== "localhost" && host !== ".") {
      // A user and a password may stand before the host, with any character in them.
      throw fileErrors.REMOTE_HOST({ host: /^[^/:]*/.exec(body.slice(Math.max(1, body.lastIndexOf("@")) + 1))![0] });
    }
    if (slash < 0) throw fileErrors.NO_PATH({ uri: `file:${body}` });
    // `file://./name` is a relative path, as the original takes it.
    body = host === "." ? `.${body.slice(slash)}` : body.slice(slash);
  }
  const path = decode(body);
  if (path === "" || path === "/") throw fileErrors.NO_PATH({ uri: `file:${uri.body}` });
  return path;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
