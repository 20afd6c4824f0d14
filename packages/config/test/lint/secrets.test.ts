import { describe, expect, it, vi } from "vitest";
import { routeLines } from "./linted.ts";

const output = (endpoint: string, environment = {}) =>
  routeLines(`input: {memory: {topic: a}}, output: ${endpoint}`, environment);
const codes = (lines: readonly string[]) => lines.map((line) => line.split(" ").slice(0, 2).join(" "));

describe("a secret in the configuration", () => {
  it("is noted with the variable to write instead, and never shown", () => {
    const [line] = output('{kafka: {url: "h:1", topic: t, username: u, password: hunter2}}');
    expect(line).toMatch(
      /^note MQB_LINT_CLEAR_SECRET .*kafka\.password: "password" of "kafka" is written in plain text; write \$\{KAFKA_PASSWORD\} and set that variable$/,
    );
    expect(line).not.toContain("hunter2");
  });

  it("is noted in a URL", () => {
    expect(output('{amqp: {url: "amqps://u:hunter2@h"}}')).toEqual([
      expect.stringMatching(
        /^note MQB_LINT_CLEAR_SECRET .*the password in "url" of "amqp" is written in plain text; write \$\{AMQP_PASSWORD\}/,
      ),
    ]);
  });

  it.each(["${PW}", "${PW:-other}"])("is none when it comes from a variable: %s", (password) => {
    expect(output(`{kafka: {url: "h:1", topic: t, username: u, password: "${password}"}}`, { PW: "hunter2" })).toEqual(
      [],
    );
  });

  it.each(["${env:K}", "${file:key}"])("is none when the plugin reads it from elsewhere: %s", (key) => {
    vi.stubEnv("K", Buffer.alloc(32).toString("base64"));
    expect(output(`{memory: {topic: b}, middlewares: [{encryption: {key: "${key}"}}]}`)).toEqual([]);
  });
});

describe("a secret on the network", () => {
  const plain = (endpoint: string) => output(endpoint, { PW: "hunter2" });

  it.each([
    ["amqp", '{amqp: {url: "amqp://u:${PW}@broker"}}'],
    ["amqp with a user alone", '{amqp: {url: "amqp://broker", username: u, password: "${PW}"}}'],
    ["http basic auth", '{http: {url: "http://api", basic_auth: ["${PW}", "${PW}"]}}'],
    ["an authorization header", '{http: {url: "http://api", custom_headers: {Authorization: "${PW}"}}}'],
    ["Postgres", '{sqlx: {url: "postgres://u:${PW}@db/d?sslmode=prefer", table: t}}'],
  ])("is warned of: %s", (_, endpoint) => {
    const lines = plain(endpoint);
    expect(codes(lines)).toEqual(["warning MQB_LINT_PLAIN_TRANSPORT"]);
    expect(lines.join()).not.toContain("hunter2");
  });

  it.each([
    ["encrypted", '{amqp: {url: "amqps://u:${PW}@broker"}}'],
    ["encrypted by its tls block", '{amqp: {url: "amqp://u:${PW}@broker", tls: {required: true}}}'],
    ["encrypted by its URL", '{sqlx: {url: "postgres://u:${PW}@db/d?sslmode=verify-full", table: t}}'],
    ["on this machine", '{amqp: {url: "amqp://u:${PW}@localhost"}}'],
    ["on this machine by number", '{amqp: {url: "amqp://u:${PW}@127.0.0.1:5672"}}'],
    ["on this machine in IPv6", '{amqp: {url: "amqp://u:${PW}@[::1]:5672"}}'],
    ["no secret", '{http: {url: "http://api", custom_headers: {X-Kind: "${PW}"}}}'],
    ["a seed that only signs", '{nats: {url: "nats://broker", subject: s, nkey_seed: "${PW}"}}'],
    ["the key of what is stored", '{object_store: {url: "http://s3.local/b", encryption: {key: "${PW}"}}}'],
  ])("is fine: %s", (_, endpoint) => {
    expect(plain(endpoint)).toEqual([]);
  });

  it("goes to whoever answers when certificates are not checked", () => {
    expect(output('{kafka: {url: "h:1", topic: t, tls: {required: true, accept_invalid_certs: true}}}')).toEqual([
      expect.stringMatching(/^warning MQB_LINT_CERTIFICATES .*tls\.accept_invalid_certs.*tls\.ca_file/),
    ]);
  });

  it("cannot be sent over http:// when TLS is required", () => {
    expect(output('{http: {url: "http://localhost", tls: {required: true}}}')).toEqual([
      expect.stringMatching(/^error MQB_LINT_TLS .*http:\/\/, but tls\.required is true; write https:\/\//),
    ]);
  });
});
