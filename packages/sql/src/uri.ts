import type { EndpointUri, SchemeDefinition } from "@mqb/core/plugin";

/** `postgres://host/db?table=orders`: what is no field stays on the connection URL. */
export function sqlScheme(scheme: string): SchemeDefinition {
  return {
    endpoint: "sqlx",
    driverParams: "url",
    config: ({ body }: EndpointUri) => ({ url: `${scheme}:${body}` }),
    uri(config) {
      const { url } = config as { readonly url?: unknown };
      const [, written, body, query] =
        typeof url === "string" ? (/^([a-z]+):([^?]*)(?:\?(.*))?$/is.exec(url) ?? []) : [];
      if (written?.toLowerCase() !== scheme || body === undefined) return undefined;
      return { scheme, body, params: [...new URLSearchParams(query ?? "")] };
    },
  };
}
