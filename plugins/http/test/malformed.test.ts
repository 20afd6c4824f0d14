import { connect, type Socket } from "node:net";
import { CollectingPublisher, fakePlugin } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { listening, raw } from "./support.ts";

const END = "\r\n\r\n";
const head = (...lines: string[]): string => ["POST / HTTP/1.1", ...lines].join("\r\n") + END;
const close = "Connection: close";

/** What two servers in a row could read in two ways, and what is no HTTP at all. */
const MALFORMED: Readonly<Record<string, string>> = {
  "a length and chunks": `${head("Host: h", close, "Content-Length: 6", "Transfer-Encoding: chunked")}0\r\n\r\nG`,
  "two lengths": `${head("Host: h", close, "Content-Length: 1", "Content-Length: 2")}ab`,
  "two lengths in one header": `${head("Host: h", close, "Content-Length: 1, 2")}ab`,
  "a length with a sign": `${head("Host: h", close, "Content-Length: +1")}a`,
  "a length in hex": `${head("Host: h", close, "Content-Length: 0x1")}a`,
  "a length below nothing": `${head("Host: h", close, "Content-Length: -1")}a`,
  "a length beyond all numbers": `${head("Host: h", close, "Content-Length: 99999999999999999999999")}a`,
  "a length of a blank": `${head("Host: h", close, "Content-Length: 1 1")}ab`,
  "an unknown transfer coding last": `${head("Host: h", close, "Transfer-Encoding: chunked, identity")}0\r\n\r\n`,
  "a transfer coding that looks like chunked": `${head("Host: h", close, "Transfer-Encoding: xchunked")}0\r\n\r\n`,
  "chunked twice": `${head("Host: h", close, "Transfer-Encoding: chunked", "Transfer-Encoding: cow")}0\r\n\r\n`,
  "a blank before the colon": `${head("Host: h", close, "Content-Length : 1")}a`,
  "a folded header": `${head("Host: h", close, "Transfer-Encoding:\r\n chunked")}0\r\n\r\n`,
  "a header without a name": `${head("Host: h", close, ": x")}`,
  "a header without a colon": `${head("Host: h", close, "nonsense")}`,
  "NUL in a header": head("Host: h", close, "X-A: a\u0000b"),
  "a bare CR in a header": head("Host: h", close, "X-A: a\rX-B: c"),
  "a chunk size that is none": `${head("Host: h", close, "Transfer-Encoding: chunked")}zz\r\nab\r\n0\r\n\r\n`,
  "a chunk size with a sign": `${head("Host: h", close, "Transfer-Encoding: chunked")}+1\r\na\r\n0\r\n\r\n`,
  "a chunk size with 0x": `${head("Host: h", close, "Transfer-Encoding: chunked")}0x1\r\na\r\n0\r\n\r\n`,
  "a chunk size beyond all numbers": `${head("Host: h", close, "Transfer-Encoding: chunked")}fffffffffffffffffff\r\na\r\n`,
  "a chunk longer than its size": `${head("Host: h", close, "Transfer-Encoding: chunked")}1\r\nabc\r\n0\r\n\r\n`,
  "no host": head(close),
  "two hosts": head("Host: a", "Host: b", close),
  "no version": `POST /${END}`,
  "another version": `POST / HTTP/3.7\r\nHost: h\r\n${close}${END}`,
  "a method that is none": `PO ST / HTTP/1.1\r\nHost: h\r\n${close}${END}`,
  "a blank in the target": `POST /a b HTTP/1.1\r\nHost: h\r\n${close}${END}`,
  "a head that is too large": head("Host: h", close, `X-Large: ${"x".repeat(70_000)}`),
  "TLS on a port without": "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "another protocol": "EHLO mail.example\r\n",
  "bytes of any kind": Buffer.from(Array.from({ length: 256 }, (_, n) => (n * 97 + 13) % 256)).toString("latin1"),
};

const GOAWAY = 7;

/** The server says over HTTP/2 that it goes away, or goes. */
function refusal(socket: Socket): Promise<void> {
  let bytes = Buffer.alloc(0);
  return new Promise((resolve) => {
    socket.on("error", () => {});
    socket.once("close", () => resolve());
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
        if (bytes[at + 3] === GOAWAY) resolve();
      }
    });
  });
}

describe("a listener", () => {
  it.each(Object.entries(MALFORMED))("refuses %s, and the route sees nothing of it", async (_, bytes) => {
    const sink = new CollectingPublisher();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    const answer = (await raw(server.port, Buffer.from(bytes, "latin1"))).toString("latin1");
    expect(answer === "" ? "closed" : answer.slice(0, 12)).toMatch(/^(closed|HTTP\/1\.1 4\d\d)$/);
    expect(answer.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(sink.messages).toEqual([]);
  });

  it("takes no second request out of a body", async () => {
    const sink = new CollectingPublisher();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    const inner = "GET /admin HTTP/1.1\r\nHost: h\r\n\r\n";
    await raw(server.port, head("Host: h", close, `Content-Length: ${inner.length}`) + inner);
    expect(sink.messages.map((message) => message.text())).toEqual([inner]);
  });

  it("goes on for the others", async () => {
    await using server = await listening({}, { response: {} });
    await Promise.all(Object.values(MALFORMED).map((bytes) => raw(server.port, Buffer.from(bytes, "latin1"))));
    const answer = await raw(server.port, `${head("Host: h", close, "Content-Length: 4")}fine`);
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 [\s\S]*fine$/);
  });

  it.each([
    ["no frames", Buffer.from("nonsense that goes on and on")],
    ["a frame that is too large", Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])],
    ["headers of no stream", Buffer.from([0, 0, 1, 1, 4, 0, 0, 0, 0, 0x82])],
    ["data of a stream that is not open", Buffer.from([0, 0, 1, 0, 1, 0, 0, 0, 9, 0x61])],
    ["a header block that cannot be read", Buffer.from([0, 0, 4, 1, 5, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff])],
    ["a window beyond all bounds", Buffer.from([0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff])],
  ])("is not harmed by HTTP/2 with %s", async (_, frames) => {
    await using server = await listening({}, { response: {} });
    const socket = connect(server.port, "127.0.0.1");
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings, frames]));
    await refusal(socket);
    socket.destroy();
    const answer = await raw(server.port, `${head("Host: h", close, "Content-Length: 4")}fine`);
    expect(answer.toString()).toMatch(/fine$/);
  });

  it("takes requests that follow one another on one connection, each for itself", async () => {
    await using server = await listening({}, { response: {} }, { route: { concurrency: 4, batch_size: 1 } });
    const one = (n: number, more = ""): string => `POST / HTTP/1.1\r\nHost: h\r\n${more}Content-Length: 1\r\n\r\n${n}`;
    const answer = await raw(server.port, one(1) + one(2) + one(3, "Connection: close\r\n"));
    expect(answer.toString().match(/\r\n\r\n\d/g)).toEqual(["\r\n\r\n1", "\r\n\r\n2", "\r\n\r\n3"]);
  });
});
