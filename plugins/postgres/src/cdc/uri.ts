import type { EndpointUri, SchemeDefinition } from "@mqb/core/plugin";

/** `postgres-cdc://host/db?publication=p`: what is no field stays on the connection URL. */
export function cdcScheme(scheme: "postgres-cdc" | "pgcdc"): SchemeDefinition {
  return {
    endpoint: "postgres_cdc",
    driverParams: "url",
    config: ({ body }: EndpointUri) => ({ url: `postgres:${body}` }),
    uri(config) {
      const { url } = config as { readonly url?: unknown };
      const [, body, query] = typeof url === "string" ? (/^postgres(?:ql)?:([^?]*)(?:\?(.*))?$/is.exec(url) ?? []) : [];
      if (body === undefined) return undefined;
      return { scheme, body, params: [...new URLSearchParams(query ?? "")] };
    },
  };
}
