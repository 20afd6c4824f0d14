import { createBridge, createRegistry } from "@mqb/core";
import { MqbError } from "@mqb/core/plugin";
import lookup from "@mqb/lookup";
import standard from "@mqb/standard";
import { CollectingPublisher, fakePlugin, messages, ScriptedConsumer } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import plugin from "../src/index.ts";
import { answering, ask, listening } from "./support.ts";

describe("a route from http to http", () => {
  it("hands the request on, and the answer with its status and headers back", async () => {
    await using upstream = await answering((request, body, response) => {
      response.writeHead(422, {
        "x-reason": "no stock",
        "content-type": "application/json",
        "set-cookie": ["a=1", "b=2"],
      });
      response.end(JSON.stringify({ path: request.url, method: request.method, got: body.toString() }));
    });
    await using proxy = await listening({}, { http: { url: upstream.url, pass_through_status: true } });
    const answer = await ask(`${proxy.url}/orders?x=1`, { method: "PUT", body: "b" });
    expect(answer.status).toBe(422);
    expect(answer.headers).toMatchObject({ "x-reason": "no stock", "set-cookie": ["a=1", "b=2"] });
    expect(JSON.parse(answer.text)).toEqual({ path: "/orders?x=1", method: "PUT", got: "b" });
    for (const name of ["http_status_code", "http_version", "http_path"])
      expect(answer.headers).not.toHaveProperty(name);
  });

  it("answers 500 without pass_through_status, and lives on", async () => {
    let status = 503;
    await using upstream = await answering((_, __, response) => response.writeHead(status).end("up"));
    await using proxy = await listening({}, { http: { url: upstream.url } });
    expect(await ask(proxy.url)).toMatchObject({ status: 500, text: "Message processing failed" });
    status = 200;
    expect(await ask(proxy.url)).toMatchObject({ status: 200, text: "up" });
  });

  it("answers 502 with pass_through_status when nobody is there, and keeps the listener", async () => {
    const gone = await answering(() => {});
    await gone[Symbol.asyncDispose]();
    const output = { http: { url: gone.url, pass_through_status: true } };
    await using proxy = await listening({ pass_through_status: true }, output);
    expect(await ask(proxy.url)).toMatchObject({ status: 502 });
    expect(await ask(proxy.url)).toMatchObject({ status: 502 });
    expect(proxy.route.status().reconnects).toBe(0);
  });

  it("answers once, with the failure, when a part of a fanout fails and another has a reply", async () => {
    const failing = new CollectingPublisher();
    failing.failAt([0], new MqbError("X", "retryable", "full"));
    const output = { fanout: [{ failing: {} }, { static: { body: '{"ok":true}', raw: true } }] };
    await using server = await listening({}, output, { plugins: [fakePlugin({ failing: { publisher: failing } })] });
    const answer = await ask(server.url);
    expect([answer.status, answer.text]).toEqual([500, "Message processing failed"]);
  });

  it("does not let what a message asks for steer a lookup", async () => {
    const asked: string[] = [];
    await using users = await answering((request, _, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end('{"name":"n"}');
    });
    const from = { http: { url: `${users.url}/users`, method: "GET" } };
    await using server = await listening(
      {},
      { response: {} },
      { plugins: [lookup], middlewares: [{ lookup: { from, into: "user" } }] },
    );
    const answer = await ask(`${server.url}/admin?x=1`, { method: "PATCH", body: "{}" });
    expect(answer.text).toBe('{"user":{"name":"n"}}');
    expect(asked).toEqual(["GET /users"]);
  });
});

describe("a sink that throttles or refuses", () => {
  async function through(statuses: readonly number[], middlewares: readonly unknown[], count = 5) {
    const answered: number[] = [];
    await using server = await answering((_, __, response) => {
      const status = statuses[answered.length] ?? 200;
      answered.push(status);
      response.writeHead(status, { "retry-after": "0" }).end();
    });
    const source = new ScriptedConsumer();
    source.push(messages(count));
    source.pushEmpty();
    const dead = new CollectingPublisher();
    const fakes = fakePlugin({ source: { consumer: source }, dead: { publisher: dead } });
    const bridge = createBridge({ registry: createRegistry([plugin, standard, fakes]) });
    const output = { middlewares, http: { url: server.url, batch_concurrency: 1 } };
    const route = bridge.route("r", { input: { source: {} }, output, exit_on_empty: true } as never);
    await route.start();
    const result = await route.done;
    return { answered, dead, result };
  }

  it("is waited for: nothing is dead-lettered, and everything arrives", async () => {
    const retry = { retry: { max_attempts: 10, initial_interval_ms: 1 } };
    const dlq = { dlq: { endpoint: { dead: {} } } };
    const { answered, dead, result } = await through([429, 503, 200, 408], [retry, dlq]);
    expect(dead.messages).toEqual([]);
    expect(answered.filter((status) => status === 200)).toHaveLength(5);
    expect([result.outcome, result.accounting.dropped]).toEqual(["completed", 0]);
  });

  it("that refuses our credentials loses no message: without a dlq it goes back to its source", async () => {
    let requests = 0;
    await using server = await answering((_, __, response) => response.writeHead(requests++ === 1 ? 401 : 200).end());
    const source = new ScriptedConsumer();
    source.push(messages(3));
    const bridge = createBridge({
      registry: createRegistry([plugin, standard, fakePlugin({ source: { consumer: source } })]),
    });
    const output = { http: { url: server.url, batch_concurrency: 1 } };
    const route = bridge.route("r", { input: { source: {} }, output } as never);
    await route.start();
    await expect.poll(() => source.commits.length).toBe(1);
    const dispositions = source.commits[0]!.dispositions!;
    expect(dispositions.map(({ type }) => type)).toEqual(["reply", "nack", "reply"]);
    expect(route.status()).toMatchObject({ accounting: { dropped: 0, nacked: 1 } });
    expect(route.status().error).toContain("refuses our credentials");
    await route.stop();
  });

  it("that refuses our credentials for one message among others may have it dead-lettered, without a retry", async () => {
    const retry = { retry: { max_attempts: 3, initial_interval_ms: 1 } };
    const { answered, dead } = await through([200, 401, 200], [retry, { dlq: { endpoint: { dead: {} } } }], 3);
    expect(answered).toEqual([200, 401, 200]);
    expect(dead.messages).toHaveLength(1);
    expect(dead.messages[0]!.metadata.get("mq_bridge.dlq.error")).toContain("401");
  });
});
