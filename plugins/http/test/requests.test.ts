import { batchOf, Message, type MessageBatch } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import type { HttpOptions } from "../src/index.ts";
import { answering, forever, sink } from "./support.ts";

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What a server sees of a batch. */
async function seen(batch: MessageBatch, options: Partial<HttpOptions> = {}, base = "") {
  const requests: Seen[] = [];
  await using server = await answering((request, body, response) => {
    const headers: Record<string, string> = {};
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      headers[request.rawHeaders[i]!.toLowerCase()] = Buffer.from(request.rawHeaders[i + 1]!, "latin1").toString();
    }
    requests.push({ method: request.method!, url: request.url!, headers, body: body.toString() });
    response.end();
  });
  await using opened = await sink({ url: server.url + base, batch_concurrency: 1, ...options });
  const outcomes = await opened.end.send(batch, forever());
  return { requests, outcomes: outcomes!, log: opened.log.text(), status: opened.end.status!() };
}

const message = (metadata: Record<string, string>): Message => new Message("x", new Map(Object.entries(metadata)));

describe("the target of a request", () => {
  it.each([
    [{}, "/base?k=1"],
    [{ http_query: "a=b" }, "/base?a=b"],
    [{ http_path: "/x/y" }, "/x/y"],
    [{ http_path: "/x?y=1" }, "/x?y=1"],
    [{ http_path: "/x?y=1", http_query: "z=2" }, "/x?y=1&z=2"],
    [{ http_path: "x" }, "/x"],
    [{ http_path: "" }, "/base"],
    [{ http_path: "//evil.example/" }, "/evil.example/"],
    [{ http_path: "@evil.example/" }, "/@evil.example/"],
    [{ http_path: "http://169.254.169.254/" }, "/http://169.254.169.254/"],
    [{ http_path: "\\\\evil" }, "/%5C%5Cevil"],
    [{ http_path: "/a b\u00fc#f" }, "/a%20b%C3%BC%23f"],
    [{ http_path: "/a%20b" }, "/a%20b"],
    [{ http_path: "/x HTTP/1.1\r\nHost: evil\r\n\r\nGET /" }, "/x%20HTTP/1.1%0D%0AHost:%20evil%0D%0A%0D%0AGET%20/"],
  ])("of %j is %s, at the server of the configuration", async (metadata, target) => {
    const { requests } = await seen(batchOf([message(metadata)]), {}, "/base?k=1");
    expect(requests.map(({ url }) => url)).toEqual([target]);
  });

  it("has the method of the message, of the configuration, or POST", async () => {
    const batch = batchOf([message({}), message({ http_method: "delete" }), message({ http_method: "" })]);
    expect((await seen(batch)).requests.map(({ method }) => method)).toEqual(["POST", "DELETE", "POST"]);
    expect((await seen(batchOf([message({})]), { method: "patch" })).requests[0]!.method).toBe("PATCH");
  });

  it.each(["CONNECT", "TRACE", "GET /x HTTP/1.1", "G\r\nX"])(
    "is none with the method %j, which fails alone",
    async (method) => {
      const batch = batchOf([message({}), message({ http_method: method }), message({})]);
      const { requests, outcomes } = await seen(batch);
      expect(requests).toHaveLength(2);
      expect(outcomes.map(({ type }) => type)).toEqual(["replied", "failed", "replied"]);
      expect(outcomes[1]).toMatchObject({ error: { code: "MQB_HTTP_BAD_REQUEST", kind: "permanent" } });
    },
  );
});

describe("the headers of a request", () => {
  it("are the metadata, as far as it can be headers, and nothing that frames a message", async () => {
    const metadata = {
      "x-k": "v",
      "X-Upper": "u",
      city: "Zürich",
      empty: "",
      __proto__x: "p",
      long: "v".repeat(9000),
      host: "evil",
      "content-length": "99",
      "transfer-encoding": "chunked",
      connection: "close",
      "Content-Encoding": "gzip",
      expect: "100-continue",
      "mqb.src.http_authorization": "Bearer t",
      http_version: "HTTP/1.1",
      http_status_code: "200",
      "bad name": "b",
      split: "a\r\nX-Admin: 1",
      nul: "a\u0000b",
      größe: "1",
      half: "\ud800",
    };
    const { requests, log, status } = await seen(batchOf([message(metadata), message(metadata)]));
    for (const { headers, body } of requests) {
      expect(body).toBe("x");
      expect(headers).toMatchObject({ "x-k": "v", "x-upper": "u", city: "Zürich", empty: "", __proto__x: "p" });
      expect(headers["long"]).toHaveLength(9000);
      expect(headers["host"]).toMatch(/^127/);
      expect(headers["content-length"]).toBe("1");
      const gone = [
        "transfer-encoding",
        "content-encoding",
        "expect",
        "x-admin",
        "split",
        "nul",
        "half",
        "http_version",
      ];
      for (const name of gone) expect(headers).not.toHaveProperty(name);
      expect(JSON.stringify(headers)).not.toContain("Bearer");
    }
    expect(log.match(/cannot be a header/g)).toHaveLength(1);
    expect(status.details).toEqual({ dropped_headers: 10 });
  });

  it("are those of the configuration first", async () => {
    const custom = { "X-Api-Key": "configured" };
    const batch = batchOf([message({ "x-api-key": "from outside", authorization: "Bearer outside" })]);
    const { requests } = await seen(batch, { custom_headers: custom, basic_auth: ["u", "p"] });
    expect(requests[0]!.headers).toMatchObject({ "x-api-key": "configured", authorization: "Basic dTpw" });
  });

  it("hold the id, where the server shall recognise a repetition", async () => {
    const one = message({});
    const two = message({ "idempotency-key": "given" });
    const three = message({ "Idempotency-Key": "given" });
    const { requests } = await seen(batchOf([one, two, three]), { idempotency_key_header: "Idempotency-Key" });
    expect(requests.map(({ headers }) => headers["idempotency-key"])).toEqual([one.id, "given", "given"]);
  });

  it("have configured headers in every script", async () => {
    const { requests } = await seen(batchOf([message({})]), { custom_headers: { "X-City": "日本" } });
    expect(requests[0]!.headers["x-city"]).toBe("日本");
  });

  it("that cannot be made fail alone, by the thousand too", async () => {
    await using opened = await sink({ url: "http://127.0.0.1:9" });
    const many = Array.from({ length: 20_000 }, () => message({ http_method: "TRACE" }));
    const outcomes = await opened.end.send(batchOf(many), forever());
    expect(outcomes!.every((outcome) => outcome.type === "failed")).toBe(true);
  });

  it("that the driver does not take fail for good, instead of being tried again and again", async () => {
    await using opened = await sink({ url: "http://127.0.0.1:9", custom_headers: { expect: "what" } });
    const [outcome] = (await opened.end.send(batchOf([new Message("x")]), forever()))!;
    expect(outcome).toMatchObject({ type: "failed", error: { code: "MQB_HTTP_BAD_REQUEST", kind: "permanent" } });
  });

  it("have a password without a user, where the URL has", async () => {
    await using server = await answering((request, _, response) => response.end(request.headers.authorization));
    await using opened = await sink({ url: server.url.replace("//", "//:token@") });
    const [outcome] = (await opened.end.send(batchOf([new Message("x")]), forever()))!;
    const text = outcome?.type === "replied" ? outcome.message.text() : "";
    expect(text).toBe(`Basic ${Buffer.from(":token").toString("base64")}`);
  });

  it("have the credentials of the URL, which no status shows", async () => {
    const requests: string[] = [];
    await using server = await answering((request, _, response) => {
      requests.push(request.headers.authorization ?? "");
      response.end();
    });
    await using opened = await sink({ url: server.url.replace("//", "//user:p%40ss@") });
    await opened.end.send(batchOf([new Message("x")]), forever());
    expect(requests).toEqual([`Basic ${Buffer.from("user:p@ss").toString("base64")}`]);
    expect(JSON.stringify(opened.end.status!())).not.toContain("p@ss");
  });
});
