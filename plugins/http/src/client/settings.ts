import type { Publisher } from "@mqb/core/plugin";
import type { CodecName } from "@mqb/formats";
import type { TlsConfig } from "@mqb/tls";
import type { Signer } from "../webhook/check.ts";
import type { Codings } from "../wire/codings.ts";
import type { RequestHeaders } from "./request-headers.ts";
import type { Target } from "./target.ts";

/** What a sink needs while it runs, made once of its configuration. */
export interface SinkSettings {
  readonly target: Target;
  readonly tls: TlsConfig | null | undefined;
  readonly method: string;
  readonly headers: RequestHeaders;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly passThroughStatus: boolean;
  /** Codec of the bodies, and the smallest one that is compressed. */
  readonly compress: { readonly codec: CodecName; readonly from: number } | undefined;
  readonly codings: Codings;
  readonly maxAnswerBytes: number;
  readonly sign: Signer | undefined;
  /** Requests carry what lets the server recognise a repetition. */
  readonly repeatable: boolean;
  /** Where the items of answers go. */
  readonly stream: Publisher | undefined;
}
