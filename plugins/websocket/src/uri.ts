import type { EndpointUri, SchemeDefinition, Side } from "@mqb/core/plugin";
import { addressText, listenAddress } from "./address.ts";

/** `ws://host:port/path`: the server of an output, the address and path that an input listens on. */
export const wsScheme: SchemeDefinition = schemeOf("ws");
/** The same over TLS; an input needs `tls.cert_file` and `tls.key_file`. */
export const wssScheme: SchemeDefinition = schemeOf("wss");

function schemeOf(scheme: "ws" | "wss"): SchemeDefinition {
  return {
    endpoint: "websocket",
    driverParams: "url",
    config: ({ body }, side) => (side === "output" ? { url: `${scheme}:${body}` } : listening(scheme, body)),
    uri: (config, side) => writtenAs(scheme, config as Written, side),
  };
}

/** Throws a `config` error for what is no address. */
function listening(scheme: "ws" | "wss", body: string): Readonly<Record<string, string>> {
  const address = listenAddress(`${scheme}:${body}`);
  const text = addressText(address).replace(/^\*/, "");
  return {
    url: scheme === "wss" ? `wss://${text}` : text,
    ...(address.path === undefined ? {} : { path: address.path }),
  };
}

interface Written {
  readonly url?: unknown;
  readonly path?: unknown;
}

function writtenAs(scheme: "ws" | "wss", { url, path }: Written, side: Side): EndpointUri | undefined {
  if (side === "output" || typeof url !== "string") return undefined;
  if (/^wss:/i.test(url) !== (scheme === "wss")) return undefined;
  const address = url.replace(/^wss?:\/\//i, "");
  const suffix = typeof path === "string" && path.startsWith("/") && !/[?#|$%]/.test(path) ? path : "";
  return { scheme, body: `//${address}${suffix}`, params: [] };
}
