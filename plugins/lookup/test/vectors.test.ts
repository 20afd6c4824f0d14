import { cp, readFile } from "node:fs/promises";
import { createBridge, createRegistry } from "@mqb/core";
import { Message, type MessageBatch, replied } from "@mqb/core/plugin";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { fakePlugin, TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";

/** Recorded runs of the original: a configuration, its input, what it wrote and what it asked a server for. */
const vectors = new URL("./vectors/", import.meta.url);

/** In the place of the recorded server, which knows one user. */
const requests: Message[] = [];
const http = {
  async send(batch: MessageBatch) {
    requests.push(...batch);
    return Array.from(batch, ({ metadata }) => {
      const known = metadata.get("http_path") === "/users/1";
      const status = new Map([["http_status_code", known ? "200" : "404"]]);
      return replied(new Message(known ? '{"n":1.0}' : "not found", status));
    });
  },
  close: async () => {},
};

const registry = createRegistry([standard, file, plugin, fakePlugin({ http: { publisher: http } })]);

async function run(name: string, dir: TempDir) {
  await cp(new URL(`${name}/`, vectors), dir.path, { recursive: true });
  const { routes } = parse(await dir.read("config.yaml")) as { routes: Record<string, unknown> };
  const route = createBridge({ registry, baseDir: dir.path }).route("r", routes["r"]);
  await route.start();
  const result = await route.done;
  expect(result.outcome).toBe("completed");
  expect(lines(await dir.read("out.jsonl"))).toEqual(lines(await dir.read("expected.out.jsonl")));
  return result;
}

/** The order of metadata is another one in each run of the original. */
function lines(text: string): unknown[] {
  return text.split("\n").map((line) => (line === "" ? "" : (JSON.parse(line) as unknown)));
}

describe("recorded runs of the original", () => {
  it("119-request-lookup-into: a message that cannot hold the answer is dropped", async () => {
    await using dir = await TempDir.make();
    const { drops } = await run("119-request-lookup-into", dir);
    expect(drops).toEqual([expect.objectContaining({ code: "MQB_LOOKUP_NOT_JSON", count: 1 })]);
  });

  it("333-http-out-lookup-404: what the server was asked for, and what became of its answers", async () => {
    await using dir = await TempDir.make();
    const { drops } = await run("333-http-out-lookup-404", dir);
    expect(drops).toEqual([]);
    expect(requests).toHaveLength(2);
    for (const [n, request] of requests.entries()) {
      const recorded = await readFile(
        new URL(`333-http-out-lookup-404/expected/requests/0${n}.bin`, vectors),
        "latin1",
      );
      expect(written(request)).toEqual(withoutFraming(recorded));
    }
  });
});

/** As an http endpoint would send it: what steers it is no header. */
function written({ metadata, payload }: Message): string {
  const { http_method, http_path, ...headers } = Object.fromEntries(metadata);
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${http_method} ${http_path} HTTP/1.1`, ...head, "", Buffer.from(payload).toString()].join("\r\n");
}

function withoutFraming(request: string): string {
  return request.replace(/^(host|content-length): .*\r\n/gm, "");
}
