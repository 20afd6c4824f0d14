import { execFile, execFileSync, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { CollectingPublisher, fakePlugin, TempDir, testCertificates } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { type Listening, listening } from "./support.ts";

const run = promisify(execFile);
const version = (() => {
  try {
    return execFileSync("curl", ["--version"], { encoding: "utf8" });
  } catch {
    return "";
  }
})();

/** Body, and what curl says of the answer. */
async function curl(...args: string[]) {
  const format = "\n%{json}";
  const { stdout } = await run("curl", ["-sS", "--max-time", "20", "-w", format, ...args], {
    encoding: "buffer",
    maxBuffer: 64 * 1024 * 1024,
  });
  const cut = stdout.lastIndexOf("\n{");
  const facts = JSON.parse(stdout.subarray(cut + 1).toString()) as { http_code: number; http_version: string };
  return { body: stdout.subarray(0, cut), status: facts.http_code, http: facts.http_version };
}

const echo = (input = {}): Promise<Listening> => listening(input, { response: {} });

describe.skipIf(version === "")("curl", () => {
  it("speaks HTTP/1.1 and 1.0", async () => {
    await using server = await echo();
    expect(await curl("-d", "hello", server.url)).toEqual({ body: Buffer.from("hello"), status: 200, http: "1.1" });
    expect(await curl("-0", "-d", "old", server.url)).toMatchObject({ body: Buffer.from("old"), status: 200 });
    expect((await curl("-I", server.url)).status).toBe(200);
  });

  it.skipIf(!version.includes("HTTP2"))("speaks HTTP/2 over TLS and by prior knowledge", async () => {
    await using plain = await echo();
    const h2c = await curl("--http2-prior-knowledge", "-d", "h2c", plain.url);
    expect(h2c).toEqual({ body: Buffer.from("h2c"), status: 200, http: "2" });
    // An offer to upgrade that is not taken up.
    expect(await curl("--http2", "-d", "offer", plain.url)).toMatchObject({ body: Buffer.from("offer"), http: "1.1" });
    const pem = testCertificates();
    await using secure = await echo({ tls: { required: true, cert_file: pem.server.cert, key_file: pem.server.key } });
    const url = `https://localhost:${secure.port}/`;
    expect(await curl("--cacert", pem.ca, "-d", "h2", url)).toEqual({
      body: Buffer.from("h2"),
      status: 200,
      http: "2",
    });
    expect(await curl("--cacert", pem.ca, "--http1.1", "-d", "x", url)).toMatchObject({ http: "1.1", status: 200 });
  });

  it("sends chunks, waits for 100 Continue, and is refused before it has sent a body that is too large", async () => {
    await using dir = await TempDir.make();
    const file = dir.file("large");
    await writeFile(file, Buffer.alloc(3_000_000, "x"));
    await using server = await echo();
    const chunked = await curl("-H", "Transfer-Encoding: chunked", "--data-binary", `@${file}`, server.url);
    expect([chunked.status, chunked.body.length]).toEqual([200, 3_000_000]);
    const expecting = await curl("-H", "Expect: 100-continue", "--data-binary", `@${file}`, server.url);
    expect([expecting.status, expecting.body.length]).toEqual([200, 3_000_000]);
    await using small = await echo({ max_body_bytes: 1000 });
    const refused = await curl("-H", "Expect: 100-continue", "--expect100-timeout", "10", "-T", file, small.url);
    expect([refused.status, refused.body.toString()]).toEqual([413, "Request body exceeds maximum of 1000 bytes"]);
    const unexpected = await curl("-H", "Expect:", "--data-binary", `@${file}`, small.url);
    expect(unexpected.status).toBe(413);
  });

  it("sends and takes gzip", async () => {
    await using dir = await TempDir.make();
    const file = dir.file("zipped");
    const text = "a line of it\n".repeat(500);
    await writeFile(file, gzipSync(text));
    await using server = await echo({ compression_enabled: true });
    const args = ["-H", "Content-Encoding: gzip", "--data-binary", `@${file}`];
    expect((await curl("--compressed", ...args, server.url)).body.toString()).toBe(text);
    const packed = await curl("-H", "Accept-Encoding: gzip", ...args, server.url);
    expect(gunzipSync(packed.body).toString()).toBe(text);
  });

  it("sends a body slowly, and the others do not wait for it", async () => {
    const sink = new CollectingPublisher();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    const slow = spawn("curl", ["-sS", "-T", "-", "-X", "POST", "-H", "Expect:", server.url]);
    slow.stdin.write("begin ");
    await expect.poll(() => server.route.status().input!.details!["requests"]).toBe(1);
    expect((await curl("-d", "fast", server.url)).status).toBe(202);
    slow.stdin.end("end");
    await sink.collected(2);
    expect(sink.messages.map((message) => message.text())).toEqual(["fast", "begin end"]);
    await new Promise((resolve) => slow.once("close", resolve));
  });

  it("sends credentials, several headers and a form", async () => {
    const sink = new CollectingPublisher();
    const plugins = [fakePlugin({ sink: { publisher: sink } })];
    await using server = await listening({ basic_auth: ["app", "geheim"] }, { sink: {} }, { plugins });
    expect((await curl("-u", "app:falsch", "-d", "x", server.url)).status).toBe(401);
    expect((await curl("-u", "app:geheim", "-H", "X-City: Zürich", "-F", "note=x", server.url)).status).toBe(202);
    const { metadata } = sink.messages[0]!;
    expect(metadata.get("x-city")).toBe("Zürich");
    expect(metadata.get("content-type")).toMatch(/^multipart\/form-data; boundary=/);
  });
});
