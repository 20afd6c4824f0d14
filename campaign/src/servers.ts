import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Address, FaultProxy, type FaultProxyOptions } from "@mqb/testkit";
import type { World } from "./pairs/pair.ts";

const SCRIPTS = new URL("../../scripts/", import.meta.url);
const SERVICES = fileURLToPath(new URL("services", SCRIPTS));
/** Below the ports of outgoing connections, and away from those that tests share. */
const PORTS = { from: 15_000, to: 19_000 };

interface ServerDefinition {
  readonly name: string;
  readonly ports: Readonly<Record<string, number>>;
}

/** A server of the campaign alone: `scripts/services` starts it, with ports and data of its own. */
export class PrivateServer {
  readonly name: string;
  private readonly env: NodeJS.ProcessEnv;
  private readonly port: number;

  private constructor(name: string, env: NodeJS.ProcessEnv, port: number) {
    this.name = name;
    this.env = env;
    this.port = port;
  }

  /** Starts it in the world's folder. Rejects when it is not installed. */
  static async start(name: string, { folder, defer }: World): Promise<PrivateServer> {
    const ports = await portsOf(name);
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      MQB_SERVICES_DIR: join(folder, "services"),
      MQB_SERVICES_WAIT: "600",
    };
    for (const [role, port] of Object.entries(ports)) env[variable(name, role)] = String(port);
    const server = new PrivateServer(name, env, ports["main"]!);
    defer(() => server.remove());
    await server.call("up");
    return server;
  }

  get address(): Address {
    return { host: "127.0.0.1", port: this.port };
  }

  async restart(): Promise<void> {
    await this.call("restart");
  }

  /** SIGKILL, and a new start. */
  async kill(): Promise<void> {
    await this.call("kill");
    await this.call("up");
  }

  private async remove(): Promise<void> {
    await this.call("kill");
    await this.call("wipe");
  }

  /** What tests are told of it. */
  async variables(): Promise<ReadonlyMap<string, string>> {
    const lines = (await this.call("env")).matchAll(/^export (\w+)=(.*)$/gm);
    return new Map(Array.from(lines, ([, key, value]) => [key!, value!.replace(/^'(.*)'$/, "$1")]));
  }

  private async call(verb: string): Promise<string> {
    const { stdout } = await promisify(execFile)(SERVICES, [verb, this.name], { env: this.env });
    return stdout;
  }
}

/** Whether a server can be started here, by its name. */
export async function isInstalled(name: string): Promise<boolean> {
  const asked = promisify(execFile)(SERVICES, ["status", name]);
  // It also ends with a failure for a server that is only not running.
  const { stdout } = await asked.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "missing" }));
  return !stdout.includes("missing");
}

/** A proxy that is closed in the end. */
export async function proxyTo(target: Address, { defer }: World, options: FaultProxyOptions = {}): Promise<FaultProxy> {
  const proxy = await FaultProxy.to(target, options);
  defer(() => proxy.close());
  return proxy;
}

async function portsOf(name: string): Promise<Record<string, number>> {
  const file = new URL(`services.d/${name}.mjs`, SCRIPTS);
  const module = (await import(file.href)) as { readonly default: ServerDefinition | readonly ServerDefinition[] };
  const definition = [module.default].flat().find((one) => one.name === name);
  const ports: Record<string, number> = {};
  let next = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
  for (const role of Object.keys(definition?.ports ?? {})) {
    while (!(await isFree(next))) next++;
    ports[role] = next++;
  }
  return ports;
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  let port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
  while (!(await isFree(port))) port++;
  return port;
}

function variable(name: string, role: string): string {
  const parts = ["MQB_SERVICES", name, ...(role === "main" ? [] : [role]), "PORT"];
  return parts.join("_").replaceAll("-", "_").toUpperCase();
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port }, () => server.close(() => resolve(true)));
  });
}
