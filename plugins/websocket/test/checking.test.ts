import { createBridge, createRegistry } from "@mqb/core";
import type { Side } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

const registry = createRegistry([plugin, standard]);

/** Where a problem is, and what it says. */
function problems(side: Side, websocket: unknown): string[] {
  const other = side === "input" ? { output: { null: {} } } : { input: { memory: { topic: "t" } } };
  const found = createBridge({ registry }).check("r", { ...other, [side]: { websocket } }).problems;
  return found.map(({ path, message }) => `${path.slice(2).join(".")}: ${message}`);
}

describe("a configuration of a websocket", () => {
  it.each([
    ["localhost", "it has no port"],
    ["localhost:99999", "it is no host and port"],
    ["http://0.0.0.0:8080", "it is an HTTP URL"],
    ["ws://user:geheim@0.0.0.0:8080", "it holds a user"],
    ["0.0.0.0:8080?a=geheim", "no query"],
  ])("refuses to listen on %s", (url, reason) => {
    const [text, ...rest] = problems("input", { url });
    expect(rest).toEqual([]);
    expect(text).toMatch(/^url: /);
    expect(text).toContain(reason);
    expect(text).not.toContain("geheim");
  });

  it.each([
    ["hub:9000", "does not begin with ws:// or wss://"],
    ["http://hub:9000", '"http://" is no scheme of WebSockets'],
    ["ws://hub:9000/#part", "a fragment"],
    ["ws://", "it is no URL"],
  ])("refuses to connect to %s", (url, reason) => {
    expect(problems("output", { url })).toEqual([expect.stringMatching(/^url: /)]);
    expect(problems("output", { url })[0]).toContain(reason);
  });

  it.each(["0.0.0.0:9000", ":9000", "*:9000", "[::]:9000", "localhost:0", "ws://127.0.0.1:9000/feed"])(
    "takes the address %s",
    (url) => {
      expect(problems("input", { url })).toEqual([]);
    },
  );

  it("takes null for every field that has a default", () => {
    const fields = [
      "path",
      "message_id_header",
      "routed_queue_capacity",
      "backlog",
      "execution_mode",
      "tls",
      "basic_auth",
    ];
    const nulls = Object.fromEntries(
      [...fields, "max_connections", "max_message_bytes", "ping_interval_ms"].map((name) => [name, null]),
    );
    expect(problems("input", { url: ":9000", ...nulls })).toEqual([]);
  });

  it("refuses two paths, and an identity that is not whole", () => {
    expect(problems("input", { url: "ws://:9000/a", path: "/b" })).toEqual([
      expect.stringMatching(/^path: .*of its own/),
    ]);
    expect(problems("input", { url: "wss://:9000" })).toEqual([expect.stringMatching(/tls\.cert_file/)]);
    expect(problems("output", { url: "wss://hub", tls: { cert_file: "c.pem" } })).toEqual([
      expect.stringMatching(/tls\.key_file/),
    ]);
  });

  it.each([{ basic_auth: ["a"] }, { max_connections: 0 }, { routed_queue_capacity: 0 }, { execution_mode: "fast" }])(
    "refuses %j",
    (fields) => {
      expect(problems("input", { url: ":9000", ...fields })).toHaveLength(1);
    },
  );
});
