import type { Clock } from "@mqb/core/plugin";
import { Template } from "../template/template.ts";
import type { StaticSettings } from "./config.ts";

export interface BodyOptions {
  /** Encode the rendered body as a JSON string; its tokens need no escaping of their own then. */
  readonly encode: boolean;
  readonly clock: Clock;
  readonly counter: { next: number };
}

/** The template of a static endpoint's body. Throws a `config` error. */
export function bodyTemplate({ body, metadata }: StaticSettings, { encode, clock, counter }: BodyOptions): Template {
  return new Template(body, { json: !encode && isJson(metadata), clock, counter, env: process.env });
}

function isJson(metadata: Readonly<Record<string, string>>): boolean {
  return Object.entries(metadata).some(([key, value]) => key.toLowerCase() === "content-type" && /json/i.test(value));
}
