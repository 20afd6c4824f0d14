import { once } from "node:events";
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
  "NUL in the name of a header": head("Host: h", close, "X-\u0000A: b"),
  "NUL in the target": `POST /\u0000 HTTP/1.1\r\nHost: h\r\n${close}${END}`,
  "lines that end in LF alone": `POST / HTTP/1.1\nHost: h\n${close}\nContent-Length: 1\n\na`,
  "one line that ends in LF alone": `POST / HTTP/1.1\r\nHost: h\nContent-Length: 1\r\n${close}${END}a`,
  "lines that end in CR alone": `POST / HTTP/1.1\rHost: h\r${close}\r\r`,
  "a header that begins with a blank": `POST / HTTP/1.1\r\n Host: h\r\n${close}${END}`,
  "a bare CR in a header": head("Host: h", close, "X-A: a\rX-B: c"),
  "a chunk size that is none": `${head("Host: h", close, "Transfer-Encoding: chunked")}zz\r\nab\r\n0\r\n\r\n`,
  "a chunk size with a sign": `${head("Host: h", close, "Transfer-Encoding: chunked")}+1\r\na\r\n0\r\n\r\n`,
  "a chunk size with 0x": `${head("Host: h", close, "Transfer-Encoding: chunked")}0x1\r\na\r\n0\r\n\r\n`,
  "a chunk size beyond all numbers": `${head("Host: h", close, "Transfer-Encoding: chunked")}fffffffffffffffffff\r\na\r\n`,
  "a chunk size that ends in LF alone": `${head("Host: h", close, "Transfer-Encoding: chunked")}1\na\r\n0\r\n\r\n`,
  "a chunk extension with LF": `${head("Host: h", close, "Transfer-Encoding: chunked")}1;a\nb\r\na\r\n0\r\n\r\n`,
  "a chunk that ends in LF alone": `${head("Host: h", close, "Transfer-Encoding: chunked")}1\r\na\n0\r\n\r\n`,
  "a chunk size of blanks": `${head("Host: h", close, "Transfer-Encoding: chunked")}  \r\na\r\n0\r\n\r\n`,
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

/** Requests that end before their body does. */
const BROKEN_OFF: Readonly<Record<string, string>> = {
  "its length": `${head("Host: h", "Content-Length: 10")}half`,
  "its last chunk": `${head("Host: h", "Transfer-Encoding: chunked")}4\r\nhalf\r\n`,
  "the end of a chunk": `${head("Host: h", "Transfer-Encoding: chunked")}9\r\nhalf`,
  "the line behind its last chunk": `${head("Host: h", "Transfer-Encoding: chunked")}4\r\nhalf\r\n0\r\n`,
  "the end of a trailer": `${head("Host: h", "Transfer-Encoding: chunked")}4\r\nhalf\r\n0\r\nX-A: b`,
};

const GOAWAY = 7;
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.alloc(9 + payload.length);
  bytes.writeUIntBE(payload.length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(stream, 5);
  bytes.set(payload, 9);
  return bytes;
}

const SETTINGS = frame(4, 0, 0, Buffer.alloc(0));
/** `POST /` over `http` to an authority without a name, with the static table of HPACK alone. */
const REQUEST = Buffer.from([0x83, 0x84, 0x86, 0x41, 0x01, 0x68]);
const [END_STREAM, END_HEADERS] = [1, 4];
const [CANCEL, FLOOD] = [8, 2000];

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

  it("drops no header of a head that it takes, however many there are", async () => {
    const sink = new CollectingPublisher();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    await raw(server.port, head("Host: h", close, ...Array.from({ length: 3000 }, () => "a:"), "Last: here"));
    expect(sink.messages[0]!.metadata.get("last")).toBe("here");
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
    socket.write(Buffer.concat([PREFACE, SETTINGS, frames]));
    await refusal(socket);
    socket.destroy();
    const answer = await raw(server.port, `${head("Host: h", close, "Content-Length: 4")}fine`);
    expect(answer.toString()).toMatch(/fine$/);
  });

  it.each(Object.entries(BROKEN_OFF))("makes no message of a request that breaks off before %s", async (_, bytes) => {
    const sink = new CollectingPublisher();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    const closed = once(
      socket.resume().on("error", () => {}),
      "close",
    );
    socket.end(Buffer.from(bytes, "latin1"));
    await once(socket, "end");
    socket.destroy();
    await closed;
    await raw(server.port, `${head("Host: h", close, "Content-Length: 4")}next`);
    expect(sink.messages.map((message) => message.text())).toEqual(["next"]);
  });

  it("ends a connection of HTTP/2 that opens and resets streams without an end", async () => {
    const sink = new CollectingPublisher();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    const code = Buffer.from([0, 0, 0, CANCEL]);
    const resets = Array.from({ length: FLOOD }, (_, n) => [
      frame(1, END_HEADERS, 2 * n + 1, REQUEST),
      frame(3, 0, 2 * n + 1, code),
    ]);
    const socket = connect(server.port, "127.0.0.1");
    const refused = refusal(socket);
    socket.write(Buffer.concat([PREFACE, SETTINGS, ...resets.flat()]));
    await refused;
    socket.destroy();
    expect((await raw(server.port, `${head("Host: h", close, "Content-Length: 4")}next`)).toString()).toMatch(/ 202 /);
    expect(sink.messages.map((message) => message.text())).toEqual(["next"]);
  });

  it("ends a connection of HTTP/2 whose header block does not end", async () => {
    const sink = new CollectingPublisher();
    await using server = await listening({}, { sink: {} }, { plugins: [fakePlugin({ sink: { publisher: sink } })] });
    const socket = connect(server.port, "127.0.0.1");
    const refused = refusal(socket);
    // A literal header without indexing, again and again.
    const field = Buffer.concat([Buffer.from([0, 1, 0x61, 0x7f, 0x81, 0x01]), Buffer.alloc(256, 0x62)]);
    const more = Array.from({ length: 1000 }, () => frame(9, 0, 1, Buffer.concat(Array(50).fill(field))));
    socket.write(Buffer.concat([PREFACE, SETTINGS, frame(1, END_STREAM, 1, REQUEST), ...more]));
    await refused;
    socket.destroy();
    expect((await raw(server.port, `${head("Host: h", close, "Content-Length: 4")}next`)).toString()).toMatch(/ 202 /);
    expect(sink.messages.map((message) => message.text())).toEqual(["next"]);
  });

  it("takes requests that follow one another on one connection, each for itself", async () => {
    await using server = await listening({}, { response: {} }, { route: { concurrency: 4, batch_size: 1 } });
    const one = (n: number, more = ""): string => `POST / HTTP/1.1\r\nHost: h\r\n${more}Content-Length: 1\r\n\r\n${n}`;
    const answer = await raw(server.port, one(1) + one(2) + one(3, "Connection: close\r\n"));
    expect(answer.toString().match(/\r\n\r\n\d/g)).toEqual(["\r\n\r\n1", "\r\n\r\n2", "\r\n\r\n3"]);
  });
});
