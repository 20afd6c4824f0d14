import { createHash } from "node:crypto";
import type { OpenContext, Shared } from "@mqb/core/plugin";
import { readTls } from "@mqb/tls";
import type { Dispatcher } from "undici";
import type { HttpConfig } from "../schema.ts";
import type { Target } from "./target.ts";

const CONNECT_MS = 10_000;

/** The connections to one server: those of all sinks with the same settings, unless `shared: false`. */
export async function openPool(config: HttpConfig, target: Target, context: OpenContext): Promise<Shared<Dispatcher>> {
  const { tls, tcp_keepalive_ms: keepAlive, pool_idle_timeout_ms: idle, request_timeout_ms: timeout } = config;
  const make = async (): Promise<Dispatcher> => {
    const { Pool } = await import("undici");
    const place = { baseDir: context.baseDir, path: `${context.path}.http.tls`, role: "client" } as const;
    const material = target.secure ? await readTls({ ...tls, required: true }, place) : undefined;
    return new Pool(target.origin, {
      connections: null,
      pipelining: 1,
      // A request has one time limit from its first byte to its last one, which the sink looks after.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: idle,
      keepAliveMaxTimeout: idle,
      connect: {
        ...material,
        timeout: Math.min(CONNECT_MS, timeout),
        keepAlive: keepAlive > 0,
        keepAliveInitialDelay: keepAlive,
      },
    });
  };
  const dispose = (pool: Dispatcher): Promise<void> => pool.destroy();
  if (config.shared) {
    const settings = JSON.stringify([target.origin, target.secure ? tls : undefined, keepAlive, idle, timeout]);
    const key = createHash("sha256").update(settings).digest("hex").slice(0, 16);
    return context.share(`http client ${target.origin} ${key}`, make, dispose);
  }
  const value = await make();
  let released: Promise<void> | undefined;
  return { value, release: () => (released ??= dispose(value)) };
}
