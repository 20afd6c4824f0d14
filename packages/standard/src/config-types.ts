import type { DelayConfig } from "./delay/definition.ts";
import type { DlqConfig } from "./dlq/config.ts";
import type { FanoutConfig } from "./fanout/config.ts";
import type { FilterConfig } from "./filter/config.ts";
import type { MemoryConfig } from "./memory/config.ts";
import type { MetricsConfig } from "./metrics/definition.ts";
import type { ReaderConfig } from "./reader/definition.ts";
import type { RefConfig } from "./ref/definition.ts";
import type { RequestConfig } from "./request/config.ts";
import type { RetryConfig } from "./retry/config.ts";
import type { StaticConfig } from "./static/config.ts";
import type { StreamBufferConfig } from "./stream-buffer/config.ts";
import type { SwitchConfig } from "./switch/config.ts";

export type {
  DelayConfig,
  DlqConfig,
  FanoutConfig,
  FilterConfig,
  MemoryConfig,
  MetricsConfig,
  ReaderConfig,
  RefConfig,
  RequestConfig,
  RetryConfig,
  StaticConfig,
  StreamBufferConfig,
  SwitchConfig,
};

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    memory: MemoryConfig;
    null: null;
    static: StaticConfig;
    ref: RefConfig;
    fanout: FanoutConfig;
    switch: SwitchConfig;
    request: RequestConfig;
    reader: ReaderConfig;
    stream_buffer: StreamBufferConfig;
    response: Readonly<Record<string, never>>;
  }
  interface MiddlewareConfigs {
    retry: RetryConfig;
    dlq: DlqConfig;
    filter: FilterConfig;
    delay: DelayConfig;
    metrics: MetricsConfig;
  }
}
