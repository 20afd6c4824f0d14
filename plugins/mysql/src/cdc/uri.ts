import type { EndpointUri, SchemeDefinition } from "@mqb/core/plugin";

/** `mysql-cdc://host/db?cursor_id=c`: what is no field stays on the connection URL. */
export function cdcScheme(scheme: "mysql-cdc" | "mariadb-cdc"): SchemeDefinition {
  const driver = scheme.replace("-cdc", "");
  return {
    endpoint: "mysql_cdc",
    driverParams: "url",
    config: ({ body }: EndpointUri) => ({ url: `${driver}:${body}` }),
    uri(config) {
      const { url } = config as { readonly url?: unknown };
      const [, found, body, query] =
        typeof url === "string" ? (/^(mysql|mariadb):([^?]*)(?:\?(.*))?$/is.exec(url) ?? []) : [];
      if (body === undefined || found?.toLowerCase() !== driver) return undefined;
      return { scheme, body, params: [...new URLSearchParams(query ?? "")] };
    },
  };
}
