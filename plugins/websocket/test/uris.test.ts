import { createRegistry } from "@mqb/core";
import type { Side } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

const registry = createRegistry([plugin]);

function config(uri: string, side: Side): unknown {
  const [, scheme = "", body = ""] = /^(\w+):(.*)$/.exec(uri)!;
  return registry.scheme(scheme)!.definition.config({ scheme, body, params: [] }, side);
}

describe("a WebSocket URI", () => {
  it.each([
    ["ws://0.0.0.0:9000", { url: "0.0.0.0:9000" }],
    ["ws://0.0.0.0:9000/", { url: "0.0.0.0:9000" }],
    ["ws://0.0.0.0:9000/a/b", { url: "0.0.0.0:9000", path: "/a/b" }],
    ["wss://localhost:9000/feed", { url: "wss://localhost:9000", path: "/feed" }],
    ["ws://[::1]:9000", { url: "[::1]:9000" }],
    ["ws://:9000", { url: ":9000" }],
  ])("%s of an input is the address %j", (uri, expected) => {
    expect(config(uri, "input")).toEqual(expected);
  });

  it.each(["ws://hub/feed", "wss://user:p%40ss@hub.example:444/feed"])("%s of an output is its URL", (uri) => {
    expect(config(uri, "output")).toEqual({ url: uri });
  });

  it("without a port is no address", () => {
    expect(() => config("ws://localhost/feed", "input")).toThrow(
      expect.objectContaining({ code: "MQB_WEBSOCKET_ADDRESS", message: expect.stringContaining("it has no port") }),
    );
  });

  it.each([
    ["ws", { url: "0.0.0.0:9000", path: "/a" }, "//0.0.0.0:9000/a"],
    ["wss", { url: "wss://0.0.0.0:9000" }, "//0.0.0.0:9000"],
    ["wss", { url: "0.0.0.0:9000" }, undefined],
    ["ws", { url: "wss://0.0.0.0:9000" }, undefined],
  ])("%s: is the way back from %j", (scheme, written, body) => {
    expect(registry.scheme(scheme)!.definition.uri!(written, "input")?.body).toBe(body);
  });
});
