import { API_VERSION, definePlugin } from "@mqb/core/plugin";
import { buffer } from "./buffer/definition.ts";
import { cookieJar } from "./cookie-jar/definition.ts";
import { delay } from "./delay/definition.ts";
import { dlq } from "./dlq/definition.ts";
import { fanout } from "./fanout/definition.ts";
import { filter } from "./filter/definition.ts";
import { id } from "./id/definition.ts";
import { limiter } from "./limiter/definition.ts";
import { memory } from "./memory/definition.ts";
import { metrics } from "./metrics/definition.ts";
import { nullEndpoint } from "./null/definition.ts";
import { pack } from "./pack/definition.ts";
import { randomPanic } from "./random-panic/definition.ts";
import { reader } from "./reader/definition.ts";
import { ref } from "./ref/definition.ts";
import { request } from "./request/definition.ts";
import { response } from "./response/definition.ts";
import { retry } from "./retry/definition.ts";
import { fanoutScheme, requestScheme, responseScheme } from "./schemes/branches.ts";
import { memoryScheme } from "./schemes/memory.ts";
import { nullScheme } from "./schemes/null.ts";
import { staticScheme } from "./schemes/static.ts";
import { switchScheme } from "./schemes/switch.ts";
import { sequence } from "./sequence/definition.ts";
import { staticEndpoint } from "./static/definition.ts";
import { fileStore } from "./stores/file/store.ts";
import { memoryStore } from "./stores/memory.ts";
import { streamBuffer } from "./stream-buffer/definition.ts";
import { switchEndpoint } from "./switch/definition.ts";
import { timeout } from "./timeout/definition.ts";
import { unpack } from "./unpack/definition.ts";
import { weakJoin } from "./weak-join/definition.ts";

export type * from "./config-types.ts";
export { errors } from "./errors.ts";
export { handlerByKind, type KindHandlerOptions } from "./handler/by-kind.ts";
export type { Durations } from "./metrics/durations.ts";
export { METRICS, MetricsRegistry, type SideMetrics } from "./metrics/registry.ts";
export { locate as locateStateFile } from "./stores/file/location.ts";
export { FileLock } from "./stores/file/lock.ts";
export { inLayout, isDatabase, type StoreLayout, tableOfRoute } from "./stores/layout.ts";
export { isGone, type ProcessMark, thisProcess } from "./stores/process-mark.ts";
export { Reopening, type ReopeningSetup } from "./structural/reopening.ts";
export { PayloadFields } from "./template/payload-fields.ts";
export { Template, type TemplateOptions } from "./template/template.ts";
export { parseTemplate, type Segment, type Token, type TokenSource } from "./template/token.ts";

/** What needs no driver: in-process endpoints, the middlewares around failure and flow, two state stores. */
export default definePlugin({
  name: "@mqb/standard",
  apiVersion: API_VERSION,
  endpoints: {
    memory,
    null: nullEndpoint,
    static: staticEndpoint,
    ref,
    response,
    fanout,
    switch: switchEndpoint,
    request,
    reader,
    sequence,
    stream_buffer: streamBuffer,
  },
  middlewares: {
    retry,
    dlq,
    filter,
    delay,
    metrics,
    pack,
    unpack,
    timeout,
    limiter,
    buffer,
    id,
    weak_join: weakJoin,
    cookie_jar: cookieJar,
    random_panic: randomPanic,
  },
  stores: { memory: memoryStore, file: fileStore },
  schemes: {
    memory: memoryScheme,
    null: nullScheme,
    static: staticScheme,
    response: responseScheme,
    fanout: fanoutScheme,
    switch: switchScheme,
    request: requestScheme,
  },
});
