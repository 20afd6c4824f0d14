import type { EndpointUri, SchemeDefinition, Side } from "@mqb/core/plugin";

/** `http://host:port/path`: where an output sends to, and what an input listens on and takes. */
export const httpScheme: SchemeDefinition = scheme("http");
/** The same with TLS. */
export const httpsScheme: SchemeDefinition = scheme("https");

function scheme(name: "http" | "https"): SchemeDefinition {
  return {
    endpoint: "http",
    driverParams: "url",
    config(uri, side) {
      if (side === "output") return { url: `${name}:${uri.body}` };
      const [, address = "", path = ""] = /^\/\/([^/]*)(.*)$/s.exec(uri.body) ?? [];
      return {
        url: address,
        ...(path === "" || path === "/" ? {} : { path }),
        ...(name === "https" ? { tls: { required: true } } : {}),
      };
    },
    uri: (config, side) => uriOf(config as Readonly<Record<string, unknown>>, side, name),
  };
}

/** Undefined for what belongs to the other scheme. */
function uriOf(config: Readonly<Record<string, unknown>>, side: Side, name: string): EndpointUri | undefined {
  const { url, path, tls } = config;
  if (typeof url !== "string") return undefined;
  if (side === "input") {
    const isSecure = (tls as { required?: unknown } | null | undefined)?.required === true;
    if (isSecure !== (name === "https")) return undefined;
    const address = url.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
    return { scheme: name, body: `//${address}${typeof path === "string" ? path : ""}`, params: [] };
  }
  const match = /^(https?):([^?]*)(?:\?(.*))?$/is.exec(url);
  if (!match || match[1]!.toLowerCase() !== name) return undefined;
  return { scheme: name, body: match[2]!, params: [...new URLSearchParams(match[3] ?? "")] };
}
