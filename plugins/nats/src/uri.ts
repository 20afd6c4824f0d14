import type { EndpointUri, SchemeDefinition } from "@mqb/core/plugin";

/** `nats://host:4222/subject`; `tls://` is written as `?tls={"required":true}` or as `?url=tls://…`. */
export const natsScheme: SchemeDefinition = {
  endpoint: "nats",
  config({ body }) {
    const [, authority = "", path = ""] = /^(?:\/\/)?([^/]*)\/?(.*)$/s.exec(body)!;
    const subject = decode(path);
    return { ...(authority === "" ? {} : { url: `nats://${authority}` }), ...(subject === "" ? {} : { subject }) };
  },
  uri(config): EndpointUri | undefined {
    const { url, subject } = config as { readonly url?: unknown; readonly subject?: unknown };
    if (typeof url !== "string") return undefined;
    const plain = /^nats:\/\/([^/?#|]+)\/?$/i.exec(url)?.[1];
    const path = typeof subject === "string" ? `/${encodeURIComponent(subject).replaceAll("%3E", ">")}` : "";
    if (plain !== undefined) return { scheme: "nats", body: `//${plain}${path}`, params: [] };
    return { scheme: "nats", body: `//${path}`, params: [["url", url]] };
  },
};

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
