import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { batchOf, Message } from "@mqb/core/plugin";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { Codings } from "../src/wire/codings.ts";
import { answering, ask, forever, type Listening, listening, sink } from "./support.ts";

const codings = new Codings();
const text = "a text that is worth it ".repeat(100);

function into(publisher: CollectingPublisher, input = {}): Promise<Listening> {
  return listening(input, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher } })] });
}

const encoded = (body: Buffer, coding: string) => ({ body, headers: { "content-encoding": coding } });

describe("a compressed request", () => {
  it("is unfolded, whatever its coding", async () => {
    const sink = new CollectingPublisher();
    await using server = await into(sink);
    const bytes = Buffer.from(text);
    const bodies: [Buffer, string][] = [
      [gzipSync(bytes), "gzip"],
      [Buffer.concat([gzipSync(text.slice(0, 100)), gzipSync(text.slice(100))]), "x-gzip"],
      [deflateSync(bytes), "deflate"],
      [brotliCompressSync(bytes), "br"],
      [await codings.encode(bytes, "zstd"), "zstd"],
      [await codings.encode(bytes, "lz4"), "lz4"],
      [gzipSync(deflateSync(bytes)), "deflate, gzip"],
      [bytes, "identity"],
    ];
    for (const [body, coding] of bodies) {
      expect((await ask(server.url, encoded(body, coding))).status, coding).toBe(202);
    }
    for (const [i, message] of sink.messages.entries()) expect(message.text(), bodies[i]![1]).toBe(text);
    expect(sink.messages).toHaveLength(bodies.length);
  });

  it("that is damaged is refused with 400, and one that unfolds too far with 413", async () => {
    await using server = await into(new CollectingPublisher(), { max_body_bytes: 100_000 });
    const whole = gzipSync(text);
    expect((await ask(server.url, encoded(whole.subarray(0, -9), "gzip"))).status).toBe(400);
    expect((await ask(server.url, encoded(Buffer.from("no"), "zstd"))).status).toBe(400);
    const zeros = Buffer.alloc(10_000_000);
    for (const codec of ["gzip", "zstd", "lz4"] as const) {
      const body = await codings.encode(zeros, codec);
      expect((await ask(server.url, encoded(body, codec))).status, codec).toBe(413);
    }
    expect((await ask(server.url, encoded(brotliCompressSync(zeros), "br"))).status).toBe(413);
    expect((await ask(server.url, { body: "alive" })).status).toBe(202);
  });

  it("may be sent back without its coding", async () => {
    await using server = await listening({ inline_response_fast_path: false }, { response: {} });
    const answer = await ask(server.url, encoded(gzipSync(text), "gzip"));
    expect(answer.headers).not.toHaveProperty("content-encoding");
    expect(answer.text).toBe(text);
  });
});

describe("an answer", () => {
  it("is compressed as the client likes it, when it is large enough", async () => {
    await using server = await listening({ compression_enabled: true }, { response: {} });
    const like = (accept: string) => ask(server.url, { body: text, headers: { "accept-encoding": accept } });
    const gzip = await like("gzip, deflate, br");
    expect(gzip.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(gunzipSync(gzip.bytes).toString()).toBe(text);
    const zstd = await like("gzip;q=0.5, zstd");
    expect(zstd.headers["content-encoding"]).toBe("zstd");
    expect((await codings.decode(zstd.bytes, ["zstd"], 1e6)).toString()).toBe(text);
    expect((await like("lz4")).headers["content-encoding"]).toBe("lz4");
    for (const none of ["br", "gzip;q=0", "identity, gzip;q=0.5"]) {
      expect((await like(none)).headers, none).not.toHaveProperty("content-encoding");
    }
    const small = await ask(server.url, { body: "small", headers: { "accept-encoding": "gzip" } });
    expect(small.headers).not.toHaveProperty("content-encoding");
  });

  it("is left alone where it has a coding already, or nobody asked for it", async () => {
    const publisher = new CollectingPublisher();
    publisher.replyWith(() => new Message(gzipSync(text), new Map([["content-encoding", "gzip"]])));
    await using server = await into(publisher, { compression_enabled: true, compression_threshold_bytes: 1 });
    const answer = await ask(server.url, { headers: { "accept-encoding": "zstd" } });
    expect(answer.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(answer.bytes).toString()).toBe(text);
    await using plain = await listening({}, { response: {} });
    expect((await ask(plain.url, { body: text, headers: { "accept-encoding": "gzip" } })).text).toBe(text);
  });
});

describe("a sink", () => {
  it.each(["gzip", "zstd", "lz4"] as const)(
    "sends large bodies as %s, and unfolds what it is answered",
    async (codec) => {
      const seen: unknown[] = [];
      await using server = await answering((request, body, response) => {
        const coding = request.headers["content-encoding"] ?? "none";
        seen.push([coding, request.headers["accept-encoding"]]);
        if (coding === "none") return void response.end(body);
        response.writeHead(200, { "content-encoding": codec, "content-length": body.length });
        response.end(body);
      });
      await using opened = await sink({ url: server.url, compression: codec, batch_concurrency: 1 });
      const outcomes = await opened.end.send(batchOf([new Message(text), new Message("small")]), forever());
      expect(seen).toEqual([
        [codec, "gzip, lz4, zstd"],
        ["none", "gzip, lz4, zstd"],
      ]);
      const [large, small] = outcomes!;
      if (large?.type !== "replied" || small?.type !== "replied") throw new Error("no reply");
      expect([large.message.text(), small.message.text()]).toEqual([text, "small"]);
      expect(large.message.metadata.has("content-encoding")).toBe(false);
    },
  );

  it("takes compression_enabled for gzip, and does not touch answers when it does not compress", async () => {
    await using server = await answering((request, _, response) => {
      response.writeHead(200, { "content-encoding": "gzip", "x-got": request.headers["content-encoding"] ?? "none" });
      response.end(gzipSync("answer"));
    });
    await using on = await sink({ url: server.url, compression_enabled: true, compression_threshold_bytes: 1 });
    const [folded] = (await on.end.send(batchOf([new Message("body")]), forever()))!;
    expect(folded).toMatchObject({ type: "replied" });
    if (folded?.type !== "replied") return;
    expect([folded.message.text(), folded.message.metadata.get("x-got")]).toEqual(["answer", "gzip"]);
    await using off = await sink({ url: server.url });
    const [plain] = (await off.end.send(batchOf([new Message("body")]), forever()))!;
    if (plain?.type !== "replied") throw new Error("no reply");
    expect(gunzipSync(plain.message.payload).toString()).toBe("answer");
    expect(plain.message.metadata.get("content-encoding")).toBe("gzip");
  });

  it("refuses an answer that unfolds too far, or is larger than it may be", async () => {
    const bomb = gzipSync(Buffer.alloc(5_000_000));
    await using server = await answering((request, _, response) => {
      if (request.url === "/bomb") response.setHeader("content-encoding", "gzip");
      response.end(request.url === "/bomb" ? bomb : Buffer.alloc(20_000));
    });
    for (const path of ["/bomb", "/large"]) {
      const options = { url: server.url + path, compression_enabled: true, max_body_bytes: 10_000 };
      await using opened = await sink(options);
      const [outcome] = (await opened.end.send(batchOf([new Message("x")]), forever()))!;
      expect(outcome, path).toMatchObject({
        type: "failed",
        error: { code: "MQB_HTTP_BAD_RESPONSE", kind: "permanent" },
      });
    }
  });
});
