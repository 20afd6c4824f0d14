import type { OpenContext, Publisher } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import type { HttpConfig } from "../schema.ts";
import { signer } from "../webhook/check.ts";
import { Codings } from "../wire/codings.ts";
import { customHeaders, type HeaderPair } from "../wire/custom-headers.ts";
import { DroppedHeaders } from "../wire/dropped-headers.ts";
import { openPool } from "./pool.ts";
import { HttpPublisher } from "./publisher.ts";
import { RequestHeaders } from "./request-headers.ts";
import type { SinkSettings } from "./settings.ts";
import { parseTarget, type Target } from "./target.ts";

/** Opens the connections to a server. None is made before the first request. */
export async function openSink(config: HttpConfig, context: OpenContext): Promise<Publisher> {
  const target = parseTarget(config.url);
  // Said by the linter too, where there is one.
  if (config.tls?.required === true && !target.secure) {
    throw errors.URL({ url: target.shown, reason: "tls.required is true, and http:// is plain text" });
  }
  const dropped = new DroppedHeaders("a request", context);
  const compress = compressionOf(config);
  const headers = new RequestHeaders(
    { fixed: fixedHeaders(config, target), idempotencyHeader: config.idempotency_key_header?.toLowerCase() },
    dropped,
  );
  const to = config.stream_response_to;
  const stream = to === undefined ? undefined : await context.openPublisher(to, "stream_response_to");
  const settings: SinkSettings = {
    target,
    tls: config.tls,
    method: config.method?.toUpperCase() ?? "POST",
    headers,
    timeoutMs: config.request_timeout_ms,
    concurrency: config.batch_concurrency,
    passThroughStatus: config.pass_through_status,
    compress,
    codings: new Codings(),
    maxAnswerBytes: config.max_body_bytes,
    sign: config.webhook_signature ? signer(config.webhook_signature) : undefined,
    repeatable: config.idempotency_key_header != null,
    stream,
  };
  try {
    return new HttpPublisher(settings, await openPool(config, target, context), dropped, context.clock);
  } catch (error) {
    await stream?.close();
    throw error;
  }
}

function compressionOf(config: HttpConfig): SinkSettings["compress"] {
  const { compression, compression_enabled: enabled, compression_threshold_bytes: from } = config;
  if (compression !== "none") return { codec: compression, from };
  return enabled ? { codec: "gzip", from } : undefined;
}

function fixedHeaders(config: HttpConfig, { login }: Target): HeaderPair[] {
  const headers: HeaderPair[] = [];
  const custom = customHeaders(config);
  const credentials = config.basic_auth ?? login;
  // Those of custom_headers win over what the URL has.
  if (credentials && !custom.some(([name]) => name === "authorization")) {
    headers.push(["authorization", `Basic ${Buffer.from(credentials.join(":"), "utf8").toString("base64")}`]);
  }
  const decodes = compressionOf(config) !== undefined && config.stream_response_to === undefined;
  if (decodes) headers.push(["accept-encoding", "gzip, lz4, zstd"]);
  return [...headers, ...custom];
}
