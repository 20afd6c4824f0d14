import type { BufferConfig } from "./buffer/definition.ts";
import type { CookieJarConfig } from "./cookie-jar/config.ts";
import type { DelayConfig } from "./delay/definition.ts";
import type { DlqConfig } from "./dlq/config.ts";
import type { FanoutConfig } from "./fanout/config.ts";
import type { FilterConfig } from "./filter/config.ts";
import type { IdConfig } from "./id/definition.ts";
import type { LimiterConfig } from "./limiter/definition.ts";
import type { MemoryConfig } from "./memory/config.ts";
import type { MetricsConfig } from "./metrics/definition.ts";
import type { PackConfig } from "./pack/config.ts";
import type { RandomPanicConfig } from "./random-panic/definition.ts";
import type { ReaderConfig } from "./reader/definition.ts";
import type { RefConfig } from "./ref/definition.ts";
import type { RequestConfig } from "./request/config.ts";
import type { RetryConfig } from "./retry/config.ts";
import type { SequenceConfig } from "./sequence/config.ts";
import type { StaticConfig } from "./static/config.ts";
import type { StreamBufferConfig } from "./stream-buffer/config.ts";
import type { SwitchConfig } from "./switch/config.ts";
import type { TimeoutConfig } from "./timeout/definition.ts";
import type { UnpackConfig } from "./unpack/config.ts";
import type { WeakJoinConfig } from "./weak-join/config.ts";

export type {
  BufferConfig,
  CookieJarConfig,
  DelayConfig,
  DlqConfig,
  FanoutConfig,
  FilterConfig,
  IdConfig,
  LimiterConfig,
  MemoryConfig,
  MetricsConfig,
  PackConfig,
  RandomPanicConfig,
  ReaderConfig,
  RefConfig,
  RequestConfig,
  RetryConfig,
  SequenceConfig,
  StaticConfig,
  StreamBufferConfig,
  SwitchConfig,
  TimeoutConfig,
  UnpackConfig,
  WeakJoinConfig,
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
    sequence: SequenceConfig;
    stream_buffer: StreamBufferConfig;
    response: Readonly<Record<string, never>>;
  }
  interface MiddlewareConfigs {
    retry: RetryConfig;
    dlq: DlqConfig;
    filter: FilterConfig;
    delay: DelayConfig;
    metrics: MetricsConfig;
    pack: PackConfig;
    unpack: UnpackConfig;
    timeout: TimeoutConfig;
    limiter: LimiterConfig;
    buffer: BufferConfig;
    id: IdConfig;
    weak_join: WeakJoinConfig;
    cookie_jar: CookieJarConfig;
    random_panic: RandomPanicConfig;
  }
}
