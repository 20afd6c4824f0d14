import { type CheckContext, type Finding, isMqbError, type Side } from "@mqb/core/plugin";
import { checkTls } from "@mqb/tls";
import { parseTarget } from "./client/target.ts";
import { parseListenAddress } from "./listener/index.ts";
import type { HttpConfig } from "./schema.ts";
import { checkStreamable } from "./source/streamable.ts";
import { encodeValue, FRAMING } from "./wire/headers.ts";

/** What can be said of a configuration before anything is opened. */
export function checkHttp(config: HttpConfig, { side }: CheckContext): Finding[] {
  const role = side === "input" ? "listener" : "client";
  return [
    ...(side === "input" ? checkInput(config) : checkOutput(config)),
    ...checkTls(config.tls, ["tls"], role),
    ...checkHeaders(config, side),
  ];
}

function checkInput(config: HttpConfig): Finding[] {
  const found = coded("url", () => parseListenAddress(config.url));
  found.push(...coded("receive_streamable", () => checkStreamable(config)));
  if (config.workers > 0) {
    found.push({
      level: "note",
      path: ["workers"],
      code: "MQB_HTTP_WORKERS",
      message: `"workers" has no effect: one thread serves all connections`,
      hint: "for more cores start several processes that share the port: MQ_BRIDGE_HTTP_REUSEPORT",
    });
  }
  if (config.tls?.required !== true && /^https:/i.test(config.url)) {
    found.push({
      level: "error",
      path: ["url"],
      code: "MQB_HTTP_TLS",
      message: `"url" begins with https://, but nothing turns TLS on`,
      hint: "set tls.required, cert_file and key_file",
    });
  }
  return found;
}

function checkOutput(config: HttpConfig): Finding[] {
  const found = coded("url", () => parseTarget(config.url));
  const method = config.method?.toUpperCase();
  if (method === "CONNECT" || method === "TRACE") {
    found.push({
      level: "error",
      path: ["method"],
      code: "MQB_HTTP_METHOD",
      message: `requests are not sent with the method ${method}`,
    });
  }
  return found;
}

function checkHeaders(config: HttpConfig, side: Side): Finding[] {
  return Object.entries(config.custom_headers ?? {}).flatMap(([name, value]): Finding[] => {
    const isTwice = name.toLowerCase() === "authorization" && side === "output" && config.basic_auth != null;
    if (isTwice) {
      const message = `"basic_auth" and the header "${name}" of custom_headers are both credentials`;
      const hint = "leave out one of the two";
      return [{ level: "error", path: ["custom_headers", name], code: "MQB_HTTP_HEADER", message, hint }];
    }
    const framing = FRAMING.has(name.toLowerCase()) || name.toLowerCase() === "host";
    if (!framing && encodeValue(value) !== undefined) return [];
    const why = framing ? "is set by the connection itself" : "has a value with a line break or control character";
    const message = `the header "${name}" of custom_headers ${why}`;
    return [{ level: "error", path: ["custom_headers", name], code: "MQB_HTTP_HEADER", message }];
  });
}

function coded(field: string, read: () => unknown): Finding[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!isMqbError(error)) throw error;
    const { code, message, hint } = error;
    return [{ level: "error", path: [field], code, message, ...(hint === undefined ? {} : { hint }) }];
  }
}
