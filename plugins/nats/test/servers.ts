import { randomBytes } from "node:crypto";
import { describe } from "vitest";

/** The address of a server as the environment gives it, or where `scripts/services` starts it. */
export function serverUrl(name: string, fallback: string): string {
  return process.env[`MQB_TEST_${name.replaceAll("-", "_").toUpperCase()}_URL`] ?? fallback;
}

export const NATS_URL: string = serverUrl("nats", "nats://127.0.0.1:24222");

export const MONITOR_URL: string = process.env["MQB_TEST_NATS_MONITOR_URL"] ?? "http://127.0.0.1:24322";
/** One that tests stop, kill and restart. */
export const SPARE_URL: string = serverUrl("nats-spare", "nats://127.0.0.1:24232");
export const SPARE_MONITOR_URL = "http://127.0.0.1:24332";

/** A name that nobody has used, for a stream or the first word of a subject. */
export function freshName(): string {
  return `t${randomBytes(6).toString("hex")}`;
}

export function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

export function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `nats://${host}:${port}`;
}

/** Tests that need a server: skipped where it is missing, a failure where `MQB_TEST_REQUIRE` names it. */
export async function withServer(service: string, url: string, tests: () => void): Promise<void> {
  const { connect } = await import("nats");
  const required = (process.env["MQB_TEST_REQUIRE"] ?? "").split(/[\s,]+/).includes(service);
  const { host, port } = addressOf(url);
  const isThere = await connect({
    servers: `${host}:${port}`,
    timeout: 2000,
    maxReconnectAttempts: -1,
    reconnect: false,
  }).then(
    async (connection) => {
      await connection.close();
      return true;
    },
    (error: { code?: string }) => error.code === "AUTHORIZATION_VIOLATION" || error.code === "TLS",
  );
  if (isThere || required) tests();
  else describe.skip(`needs the server ${service}: scripts/services up ${service}`, tests);
}
