import type { DelayConfig } from "./delay/definition.ts";
import type { DlqConfig } from "./dlq/config.ts";
import type { FilterConfig } from "./filter/config.ts";
import type { MemoryConfig } from "./memory/config.ts";
import type { MetricsConfig } from "./metrics/definition.ts";
import type { RefConfig } from "./ref/definition.ts";
import type { RetryConfig } from "./retry/config.ts";
import type { StaticConfig } from "./static/config.ts";

export type { DelayConfig, DlqConfig, FilterConfig, MemoryConfig, MetricsConfig, RefConfig, RetryConfig, StaticConfig };

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    memory: MemoryConfig;
    null: null;
    static: StaticConfig;
    ref: RefConfig;
  }
  interface MiddlewareConfigs {
    retry: RetryConfig;
    dlq: DlqConfig;
    filter: FilterConfig;
    delay: DelayConfig;
    metrics: MetricsConfig;
  }
}
