import { createServer } from "node:net";
import type { ProbeContext, ProbeFinding } from "@mqb/core/plugin";
import { readTls, tlsFailure } from "@mqb/tls";
import { parseTarget, type Target } from "./client/target.ts";
import { reasonOf } from "./errors.ts";
import { formatAddress, type ListenAddress, parseListenAddress } from "./listener/index.ts";
import type { HttpConfig } from "./schema.ts";

const CONNECT_MS = 5000;

/** Looks whether the server answers, or whether the address can be listened on. Sends nothing that changes anything. */
export async function probeHttp(config: HttpConfig, context: ProbeContext): Promise<readonly ProbeFinding[]> {
  return context.side === "input" ? probeListener(config, context) : probeServer(config, context);
}

async function probeListener(config: HttpConfig, context: ProbeContext): Promise<ProbeFinding[]> {
  const address = parseListenAddress(config.url);
  const shown = formatAddress(address);
  const identity = `http ${shown}${config.path ?? ""}`;
  const found: ProbeFinding[] = [];
  try {
    await readTls(config.tls, { baseDir: context.baseDir, path: `${context.path}.http.tls`, role: "listener" });
  } catch (error) {
    found.push({ check: "certificate", ok: false, detail: reasonOf(error) });
  }
  const reason = await cannotListen(address);
  if (reason === undefined)
    found.push({ check: "reachable", ok: true, detail: `${shown} is free to listen on`, identity });
  else {
    const hint = "stop what listens there, or use another port";
    found.push({ check: "reachable", ok: false, detail: `${shown} cannot be listened on: ${reason}`, hint, identity });
  }
  return found;
}

function cannotListen({ host, port }: ListenAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(reasonOf(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/** `OPTIONS` is the one request that every server answers somehow and none acts on. */
async function probeServer(config: HttpConfig, context: ProbeContext): Promise<ProbeFinding[]> {
  const target = parseTarget(config.url);
  const { Client } = await import("undici");
  const place = { baseDir: context.baseDir, path: `${context.path}.http.tls`, role: "client" } as const;
  const identity = `http ${target.origin}${target.path}`;
  try {
    const tls = target.secure ? await readTls({ ...config.tls, required: true }, place) : undefined;
    const client = new Client(target.origin, { connect: { ...tls, timeout: CONNECT_MS }, headersTimeout: CONNECT_MS });
    try {
      const request = { method: "OPTIONS" as const, path: target.path, headers: credentials(config, target) };
      const { statusCode, headers, body } = await client.request({ ...request, signal: context.signal });
      await body.dump();
      return answered(target, statusCode, headers["date"], identity);
    } finally {
      await client.destroy();
    }
  } catch (error) {
    if (context.signal.aborted) throw context.signal.reason;
    const wrong = tlsFailure(error, target.shown, config.tls);
    return [{ check: "reachable", ok: false, detail: `${target.shown}: ${reasonOf(wrong ?? error)}`, identity }];
  }
}

function answered(target: Target, status: number, date: unknown, identity: string): ProbeFinding[] {
  const time = typeof date === "string" ? Date.parse(date) : Number.NaN;
  const serverTime = Number.isNaN(time) ? {} : { serverTime: time };
  const reachable = { check: "reachable", ok: true, detail: `${target.shown} answers`, identity, ...serverTime };
  if (status !== 401 && status !== 403) return [reachable];
  const hint = "check basic_auth and custom_headers";
  return [reachable, { check: "credentials", ok: false, detail: `the server answers with ${status}`, hint }];
}

function credentials(config: HttpConfig, { login }: Target): Record<string, string> {
  const given = config.basic_auth ?? login;
  const basic = given && { authorization: `Basic ${Buffer.from(given.join(":"), "utf8").toString("base64")}` };
  return { ...basic, ...config.custom_headers };
}
