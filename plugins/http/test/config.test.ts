import { createBridge, createRegistry, defineConfig } from "@mqb/core";
import type { Side } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { describe, expect, it } from "vitest";
import plugin, { type HttpOptions } from "../src/index.ts";

const bridge = createBridge({ registry: createRegistry([plugin, standard]) });

/** What a check finds, as `level code path`. */
function found(side: Side, http: object): string[] {
  const other = side === "input" ? { output: null } : { input: { memory: { topic: "t" } } };
  const { problems } = bridge.check("r", { ...other, [side]: { http } });
  return problems.map(({ level, code, path }) => `${level} ${code} ${path.join(".")}`);
}

describe("a configuration", () => {
  it.each([
    ["input", { url: "127.0.0.1:8080" }],
    ["input", { url: "localhost:8080", path: null, method: null, tls: null, basic_auth: null, custom_headers: null }],
    ["input", { url: ":8080", compression_enabled: null, header_read_timeout_ms: null }],
    ["input", { url: "[::1]:8080", method: "PURGE" }],
    ["output", { url: "https://api.example:8443/orders?x=1" }],
    ["output", { url: "http://user:pw@localhost/", stream_response_to: { stream_buffer: { topic: "t" } } }],
    ["output", { url: "http://h", compression: "lz4", custom_headers: { "X-A": "b" } }],
  ] as const)("of an %s is fine: %j", (side, http) => {
    expect(found(side, http)).toEqual([]);
  });

  it.each([
    ["input", { url: "8080" }, "error MQB_HTTP_ADDRESS input.http.url"],
    ["input", { url: "h:99999" }, "error MQB_HTTP_ADDRESS input.http.url"],
    ["input", { url: "[h]:80" }, "error MQB_HTTP_ADDRESS input.http.url"],
    ["input", { url: "https://h:443" }, "error MQB_HTTP_TLS input.http.url"],
    ["input", { url: "h:80", workers: 4 }, "note MQB_HTTP_WORKERS input.http.workers"],
    ["input", { url: "h:443", tls: { required: true } }, "error MQB_TLS_IDENTITY input.http.tls.required"],
    [
      "input",
      { url: "h:80", receive_streamable: true, webhook_signature: { scheme: "github", secret: "s" } },
      "error MQB_HTTP_STREAMED input.http.receive_streamable",
    ],
    [
      "input",
      { url: "h:80", receive_streamable: true, fire_and_forget: true },
      "error MQB_HTTP_STREAMED input.http.receive_streamable",
    ],
    [
      "input",
      { url: "h:80", receive_streamable: true, compression_enabled: true },
      "error MQB_HTTP_STREAMED input.http.receive_streamable",
    ],
    [
      "input",
      { url: "h:80", custom_headers: { "Content-Length": "1" } },
      "error MQB_HTTP_HEADER input.http.custom_headers.Content-Length",
    ],
    ["output", { url: "example.com" }, "error MQB_HTTP_URL output.http.url"],
    ["output", { url: "ftp://example.com" }, "error MQB_HTTP_URL output.http.url"],
    ["output", { url: "http://h/#part" }, "error MQB_HTTP_URL output.http.url"],
    ["output", { url: "http://h", method: "CONNECT" }, "error MQB_HTTP_METHOD output.http.method"],
    ["output", { url: "https://h", tls: { key_file: "k" } }, "error MQB_TLS_IDENTITY output.http.tls.key_file"],
    [
      "output",
      { url: "http://h", custom_headers: { a: "b\nc: d" } },
      "error MQB_HTTP_HEADER output.http.custom_headers.a",
    ],
    [
      "output",
      { url: "http://h", basic_auth: ["u", "p"], custom_headers: { Authorization: "Bearer t" } },
      "error MQB_HTTP_HEADER output.http.custom_headers.Authorization",
    ],
    [
      "output",
      { url: "http://h", custom_headers: { host: "evil" } },
      "error MQB_HTTP_HEADER output.http.custom_headers.host",
    ],
  ] as const)("of an %s says what is wrong: %j", (side, http, wanted) => {
    expect(found(side, http)).toContain(wanted);
  });

  it.each([
    { url: "h:1", concurrency_limit: 0 },
    { url: "h:1", server_protocol: "http3" },
    { url: "h:1", basic_auth: ["only"] },
    { url: "h:1", custom_headers: { "bad name": "x" } },
    { url: "h:1", message_id_header: "bad name" },
    { url: "h:1", webhook_signature: { scheme: "md5", secret: "s" } },
    { url: "h:1", webhook_signature: { scheme: "github" } },
    { url: "h:1", unknown: 1 },
    { url: "h:1", webhook_signature: { scheme: "standard", secret: "whsec_" } },
    { url: "h:1", webhook_signature: { scheme: "standard", secret: ["whsec_a2V5", "whsec_?"] } },
    {},
  ])("is refused by its form: %j", (http) => {
    expect(found("input", http).some((line) => line.startsWith("error"))).toBe(true);
  });

  it.each([
    "ftp://u:geheim@h/?key=geheim",
    "http://app:p#geheim@h/",
    "http://app:p/geheim@h/",
    "http://app:12#geheim@h/",
    "http://u:%geheim@h/",
    "u:geheim@h",
  ])("shows no credentials when its URL is wrong: %s", (url) => {
    const { problems } = bridge.check("r", { input: { memory: { topic: "t" } }, output: { http: { url } } });
    expect(problems.map(({ code }) => code)).toEqual(["MQB_HTTP_URL"]);
    expect(JSON.stringify(problems)).not.toContain("geheim");
  });

  it("is known to TypeScript", () => {
    const input: HttpOptions = { url: "127.0.0.1:8080", path: "/orders", basic_auth: ["u", "p"] };
    const config = defineConfig({ routes: { r: { input: { http: input }, output: { http: { url: "https://h" } } } } });
    expect(config.routes).toHaveProperty("r");
    // @ts-expect-error a field that does not exist
    const wrong: HttpOptions = { url: "h:1", pathh: "/" };
    expect(wrong.url).toBe("h:1");
  });

  it("tells the guarantee of a route", () => {
    const guarantee = (http: object): string | undefined =>
      bridge.check("r", { input: { http }, output: null }).plan?.guarantee.level;
    expect(guarantee({ url: "h:1" })).toBe("at_least_once");
    expect(guarantee({ url: "h:1", fire_and_forget: true })).toBe("at_most_once");
  });
});
