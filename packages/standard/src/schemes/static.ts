import { readFileSync } from "node:fs";
import type { SchemeDefinition } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { StaticConfig } from "../static/config.ts";
import { asBoolean, refuseBody } from "./params.ts";

type StaticOptions = Exclude<StaticConfig, string>;

/** `static:?body=hello&raw=true&content-type=text/plain`: what is no option becomes metadata of the message. */
export const staticScheme: SchemeDefinition = {
  endpoint: "static",
  ownParams: true,
  config(uri) {
    refuseBody(uri);
    const { body, body_file: file, raw, ...metadata } = Object.fromEntries(uri.params);
    const refuse = (reason: string, cause?: unknown) => errors.SCHEME_FORM({ scheme: uri.scheme, reason }, { cause });
    if (body === undefined && file === undefined) throw refuse("it needs ?body= or ?body_file=");
    if (body !== undefined && file !== undefined) throw refuse("it takes ?body= or ?body_file=, not both");
    return {
      body: body ?? read(file!, refuse),
      ...(raw === undefined ? {} : { raw: asBoolean(raw) }),
      ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
    };
  },
  uri(config) {
    const settings = (typeof config === "string" ? { body: config } : config) as Partial<StaticOptions>;
    const { body, raw, metadata } = settings;
    if (typeof body !== "string") return undefined;
    const options: [string, string][] = [["body", body]];
    if (raw !== undefined && raw !== null) options.push(["raw", String(raw)]);
    return { scheme: "static", body: "", params: [...options, ...Object.entries(metadata ?? {})] };
  },
};

function read(file: string, refuse: (reason: string, cause: unknown) => Error): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw refuse(`the body_file ${file} cannot be read`, error);
  }
}
