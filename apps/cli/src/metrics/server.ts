import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Address, isLoopback } from "@mqb/config/uri";
import type { Measured } from "./exposition.ts";

export interface MetricsServer {
  /** As bound: the port is the real one when 0 was asked for. */
  readonly address: Address;
  close(): Promise<void>;
}

/**
 * Serves `/metrics` for Prometheus, and `/health`: 200 while every route is healthy, else 503. Rejects when the address
 * cannot be bound. Bound to this machine only, it answers no request that came under a foreign name.
 */
export function serveMetrics(address: Address, measure: () => Measured): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    // Whatever a request makes go wrong, the routes are none of its business.
    answer(request, response, isLoopback(address), measure).catch(() => response.destroy());
  });
  // A scraper keeps its connection open, which must not keep the process.
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address.port, address.host, () => {
      server.off("error", reject);
      server.on("error", () => {});
      const bound = server.address();
      const port = typeof bound === "object" && bound ? bound.port : address.port;
      const close = (): Promise<void> =>
        new Promise((closed) => {
          server.close(() => closed());
          server.closeAllConnections();
        });
      resolve({ address: { ...address, port }, close });
    });
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  local: boolean,
  measure: () => Measured,
): Promise<void> {
  // What is asked for may be anything, also what is no URL.
  const [path] = (request.url ?? "/").split(/[?#]/, 1);
  const say = (status: number, text: string, type = "text/plain; charset=utf-8"): void => {
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
    response.end(request.method === "HEAD" ? undefined : text);
  };
  // A web page of somebody else may have its own name point here.
  if (local && !isOwnName(request.headers.host)) say(403, "unknown host\n");
  else if (request.method !== "GET" && request.method !== "HEAD") say(405, "only GET\n");
  else if (path === "/metrics") {
    // Not loaded before somebody asks: most runs are copies.
    const { exposition } = await import("./exposition.ts");
    const registry = exposition(measure());
    say(200, await registry.metrics(), registry.contentType);
  } else if (path === "/health") {
    const sick = measure().routes.filter((route) => !route.healthy);
    if (sick.length === 0) say(200, "OK\n");
    else say(503, sick.map((route) => `${route.name}: ${route.state}\n`).join(""));
  } else say(404, "there is /metrics and /health\n");
}

function isOwnName(host: string | undefined): boolean {
  const name = (host ?? "").replace(/:\d+$/, "");
  return name === "localhost" || name === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(name);
}
