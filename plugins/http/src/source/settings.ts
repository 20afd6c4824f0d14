import type { HttpConfig } from "../schema.ts";
import { type SignatureCheck, signatureCheck } from "../webhook/check.ts";
import { customHeaders, type HeaderPair } from "../wire/custom-headers.ts";
import { type BasicAuth, basicAuth } from "./basic-auth.ts";

/** What a source needs while it runs, made once of its configuration. */
export interface SourceSettings {
  readonly timeoutMs: number;
  /** How long a request may wait for room. */
  readonly patienceMs: number;
  readonly maxBodyBytes: number;
  readonly concurrency: number;
  readonly bufferSize: number;
  readonly fireAndForget: boolean;
  readonly passThroughStatus: boolean;
  readonly streamable: boolean;
  /** Headers of an answer that the request has too are left out. */
  readonly omitsRequestHeaders: boolean;
  readonly messageIdHeader: string;
  readonly idempotencyHeader: string | undefined;
  readonly requestIdHeader: string | undefined;
  /** Smallest answer that is compressed; undefined = none is. */
  readonly compressFrom: number | undefined;
  readonly auth: BasicAuth | undefined;
  readonly signature: SignatureCheck | undefined;
  readonly customHeaders: readonly HeaderPair[];
}

const LONGEST_WAIT_MS = 2000;

export function sourceSettings(config: HttpConfig): SourceSettings {
  const timeoutMs = config.request_timeout_ms;
  return {
    timeoutMs,
    patienceMs: Math.min(LONGEST_WAIT_MS, timeoutMs / 2),
    maxBodyBytes: config.max_body_bytes,
    concurrency: config.concurrency_limit,
    bufferSize: config.internal_buffer_size,
    fireAndForget: config.fire_and_forget,
    passThroughStatus: config.pass_through_status,
    streamable: config.receive_streamable,
    omitsRequestHeaders: config.inline_response_fast_path,
    messageIdHeader: config.message_id_header.toLowerCase(),
    idempotencyHeader: config.idempotency_key_header?.toLowerCase(),
    requestIdHeader: config.request_id_header?.toLowerCase(),
    compressFrom: config.compression_enabled ? config.compression_threshold_bytes : undefined,
    auth: config.basic_auth ? basicAuth(config.basic_auth) : undefined,
    signature: config.webhook_signature ? signatureCheck(config.webhook_signature) : undefined,
    customHeaders: customHeaders(config),
  };
}
