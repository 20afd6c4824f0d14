import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";

const bridge = createBridge({ registry: createRegistry([plugin, standard]) });
const url = "nats://localhost";

function problems(side: "input" | "output", config: Record<string, unknown>) {
  const other = side === "input" ? { output: { null: null } } : { input: { memory: { topic: "t" } } };
  return bridge.check("orders", { ...other, [side]: { nats: { url, ...config } } }).problems;
}

describe("a nats configuration", () => {
  it.each<["input" | "output", string, Record<string, unknown>]>([
    ["input", "stream", { subject: "a" }],
    ["input", "stream", { subject: "a", no_jetstream: true }],
    ["input", "stream", { subject: "a", stream: "a.b" }],
    ["input", "subject", { subject: "a b", stream: "a" }],
    ["output", "subject", { subject: "a.*", stream: "a" }],
    ["output", "subject", { subject: "a\r\nPUB b 0", stream: "a" }],
    ["output", "url", { url: "http://h", subject: "a" }],
    ["output", "creds_file", { creds_file: "a", nkey_seed: "SU" }],
    ["output", "username", { username: "u", creds_file: "a" }],
    ["output", "cert_file", { tls: { required: true, cert_file: "a.pem" } }],
    ["output", "prefetch_count", { prefetch_count: 0 }],
    ["output", "request_timeout_ms", { request_timeout_ms: 2 ** 31 }],
    ["output", "deliver_policy", { deliver_policy: "first" }],
    ["output", "subjekt", { subjekt: "a" }],
  ])("of an %s is refused for its %s", (side, field, config) => {
    const errors = problems(side, config).filter(({ level }) => level === "error");
    expect(errors.some(({ path, message }) => path.includes(field) || message.includes(field))).toBe(true);
  });

  it.each<["input" | "output", string, Record<string, unknown>]>([
    ["output", "deduplicate", { no_jetstream: true, deduplicate: true }],
    ["output", "delayed_ack", { no_jetstream: true, delayed_ack: true }],
    ["output", "stream", { request_reply: true, stream: "s" }],
    ["output", "request_timeout_ms", { request_timeout_ms: 5 }],
    ["input", "deliver_policy", { stream: "s", no_jetstream: true, deliver_policy: "new" }],
    ["input", "username", { stream: "s", token: "t", username: "u" }],
    ["input", "password", { stream: "s", password: "p" }],
  ])("of an %s is told that its %s does nothing", (side, field, config) => {
    const found = problems(side, config);
    expect(found.filter(({ level }) => level === "error")).toEqual([]);
    expect(found.filter(({ code }) => code === "MQB_NATS_NO_EFFECT").map(({ path }) => path.at(-1))).toContain(field);
  });

  it("takes the route's name for the subject", () => {
    expect(problems("output", {})).toEqual([]);
  });

  it("is not taken for one that stores what it sends when it does not", () => {
    const { plan } = bridge.check("r", {
      input: { memory: { topic: "t" } },
      output: { nats: { url, no_jetstream: true } },
    });
    expect(plan?.output.output?.acknowledges).toBe(false);
  });

  it("cannot be resumed, and says why", () => {
    const { nats } = plugin.endpoints!;
    expect(() => nats!.resume!({ url }, "copy-1")).toThrow(expect.objectContaining({ code: "MQB_NATS_NO_RESUME" }));
    const written = { url };
    expect(nats!.resume!(written, undefined)).toBe(written);
  });
});
