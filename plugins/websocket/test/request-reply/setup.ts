import { randomBytes } from "node:crypto";
import { connect as connectTcp } from "node:net";
import { type Bridge, createBridge, createRegistry, type Route } from "@mqb/core";
import type { Handler, Publisher } from "@mqb/core/plugin";
import http from "@mqb/http";
import nats from "@mqb/nats";
import standard from "@mqb/standard";
import { recordingLogger, within } from "@mqb/testkit";
import { describe } from "vitest";
import plugin from "../../src/index.ts";

export const NATS_URL = process.env["MQB_TEST_NATS_URL"] ?? "nats://127.0.0.1:24222";

/** Tests over a real NATS: skipped where there is none, a failure where `MQB_TEST_REQUIRE` names it. */
export async function withNats(name: string, tests: () => void): Promise<void> {
  const required = (process.env["MQB_TEST_REQUIRE"] ?? "").split(/[\s,]+/).includes("nats");
  const { hostname: host, port } = new URL(NATS_URL);
  const isThere = await new Promise<boolean>((resolve) => {
    const socket = connectTcp(Number(port), host, () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
  if (isThere || required) describe(name, tests);
  else describe.skip(`${name} (needs the server nats: scripts/services up nats)`, tests);
}

/** A subject that nobody has used. */
export function freshSubject(): string {
  return `rr.${randomBytes(6).toString("hex")}`;
}

/** Routes of one bridge, stopped at the end of the test. */
export class Routes implements AsyncDisposable {
  readonly log = recordingLogger();
  private readonly bridge: Bridge = createBridge({
    registry: createRegistry([plugin, http, nats, standard]),
    log: this.log,
  });
  private readonly routes: Route[] = [];

  async start(name: string, config: object, handler?: Handler): Promise<Route> {
    const route = this.bridge.route(name, config, handler ? { handler } : {});
    this.routes.push(route);
    await within(route.start(), `the start of ${name}`);
    return route;
  }

  /** A publisher of the bridge. */
  publisher(endpoint: object): Promise<Publisher> {
    return this.bridge.openPublisher(endpoint);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // What asks goes before what answers.
    for (const route of this.routes.reverse()) await route.stop({ graceMs: 0 });
  }
}

/** Where the input of a route listens. */
export function addressOf(route: Route): string {
  return String(route.status().input!.details!["bound_addr"]);
}

/** Asks over HTTP; the status and the text of the answer. */
export async function ask(address: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`http://${address}/`, { method: "POST", body });
  return { status: response.status, text: await response.text() };
}
