import type { EndpointUri, SchemeDefinition } from "@mqb/core/plugin";
import { parseBrokers } from "./client/settings.ts";
import { kafkaErrors } from "./errors.ts";

/** `kafka://host:port,host:port/topic?group_id=…`; the topic may be a parameter as well. */
export const kafkaScheme: SchemeDefinition = {
  endpoint: "kafka",
  config({ body, params }: EndpointUri) {
    const found = /^\/\/(?:([^@/]*)@)?([^/]*)(?:\/(.*))?$/s.exec(body);
    if (!found) throw kafkaErrors.BAD_URI({ reason: "it begins with kafka://" });
    const [, login, brokers = "", path = ""] = found;
    const hasUrl = params.some(([name]) => name === "url" || name === "brokers");
    if (!hasUrl && parseBrokers(brokers) === undefined)
      throw kafkaErrors.BAD_URI({ reason: "brokers are named as host:port,host:port" });
    const colon = login?.indexOf(":") ?? -1;
    const username = login === undefined ? undefined : decode(colon < 0 ? login : login.slice(0, colon));
    const password = colon < 0 ? undefined : decode(login!.slice(colon + 1));
    return {
      ...(hasUrl ? {} : { url: brokers }),
      ...(path === "" ? {} : { topic: decode(path) }),
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
    };
  },
  uri(config) {
    const { url, topic } = config as { readonly url?: unknown; readonly topic?: unknown };
    if (typeof url !== "string" || parseBrokers(url) === undefined) return undefined;
    const path = typeof topic === "string" ? `/${encodeURIComponent(topic)}` : "";
    return { scheme: "kafka", body: `//${url}${path}`, params: [] };
  },
};

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
