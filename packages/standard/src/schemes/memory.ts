import type { SchemeDefinition } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { asBoolean, asInteger, paramsOf } from "./params.ts";

/** `memory://topic?capacity=10&subscribe_mode=true` */
export const memoryScheme: SchemeDefinition = {
  endpoint: "memory",
  ownParams: true,
  config(uri) {
    const topic = uri.body.replace(/^\/\//, "");
    if (topic === "")
      throw errors.SCHEME_FORM({ scheme: uri.scheme, reason: "it names no topic: write memory://topic" });
    const params = paramsOf(uri, ["capacity", "subscribe_mode"]);
    const capacity = params.get("capacity");
    const subscribe = params.get("subscribe_mode");
    return {
      topic,
      ...(capacity === undefined ? {} : { capacity: asInteger(capacity) }),
      ...(subscribe === undefined ? {} : { subscribe_mode: asBoolean(subscribe) }),
    };
  },
  uri(config) {
    const { topic, url, capacity, subscribe_mode: subscribe } = config as Readonly<Record<string, unknown>>;
    const name = topic ?? url;
    if (typeof name !== "string") return undefined;
    return {
      scheme: "memory",
      body: `//${name.replace(/^memory:\/\//i, "")}`,
      params: Object.entries({ capacity, subscribe_mode: subscribe })
        .filter(([, value]) => value !== undefined && value !== null)
        .map(([param, value]) => [param, String(value)]),
    };
  },
};
