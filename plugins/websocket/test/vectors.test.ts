import { createHash } from "node:crypto";
import { once } from "node:events";
import { cp, readFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { createBridge, createRegistry } from "@mqb/core";
import file from "@mqb/file";
import standard from "@mqb/standard";
import { eventually, TempDir, within } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";
import { freePort } from "./support.ts";

/** Recorded runs of the original: a configuration, what a peer sent, and the bytes that it got. */
const vectors = new URL("./vectors/", import.meta.url);
const registry = createRegistry([plugin, standard, file]);

const CLOSE_FRAME = Buffer.from([0x88, 0x82, 1, 2, 3, 4, 0x03 ^ 1, 0xe8 ^ 2]);

describe("recorded clients of the original", () => {
  it.each(["349-ws-in-response", "350-ws-in-response-routed", "351-ws-in-close-at-once"])("%s", async (name) => {
    const port = await freePort();
    const route = createBridge({ registry }).route("r", await configOf(name, port));
    await route.start();
    const [sent, expected] = await Promise.all([
      read(name, "input.req-frames.bin"),
      read(name, "expected.resp-frames.bin"),
    ]);
    const client = connect(port, "127.0.0.1");
    const answer = collect(client);
    await once(client, "connect");
    const closes = sent.subarray(-CLOSE_FRAME.length).equals(CLOSE_FRAME);
    expect(closes).toBe(true);
    if (name.includes("at-once")) {
      client.write(sent);
    } else {
      client.write(sent.subarray(0, -CLOSE_FRAME.length));
      await eventually(() => answer.bytes().length >= expected.length - 4, "the answers");
      client.write(CLOSE_FRAME);
    }
    await within(answer.ended, "the end of the connection");
    expect(parts(answer.bytes())).toEqual(parts(expected));
    await route.stop();
  });

  it("353-ws-out", async () => {
    await using dir = await TempDir.make();
    await cp(new URL("353-ws-out/", vectors), dir.path, { recursive: true });
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const connected = once(server, "connection");
    const route = createBridge({ registry, baseDir: dir.path }).route("r", await configOf("353-ws-out", port));
    const started = route.start();
    const [client] = (await connected) as [Socket];
    const got = collect(client);
    await eventually(() => got.bytes().includes("\r\n\r\n"), "the handshake");
    const head = got.bytes().toString("latin1").split("\r\n\r\n")[0]!;
    client.write(acceptance(/^sec-websocket-key: *(\S+)/im.exec(head)![1]!));
    await started;
    await within(got.ended, "the end of the connection");
    expect(await route.done).toMatchObject({ outcome: "completed", drops: [] });
    server.close();

    const masked = head.replace(/^(sec-websocket-key: ).*$/im, "$1<KEY>").replaceAll(String(port), "18304");
    expect(headLines(masked)).toEqual(headLines((await read("353-ws-out", "expected.handshake.txt")).toString()));
    const frames = framesOf(got.bytes().subarray(head.length + 4));
    expect(frames).toEqual((await read("353-ws-out", "expected.frames.txt")).toString().trim().split("\n"));
  });
});

async function configOf(name: string, port: number): Promise<unknown> {
  const text = (await read(name, "config.yaml")).toString().replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`);
  return (parse(text) as { routes: Record<string, unknown> }).routes["r"];
}

function read(name: string, file: string): Promise<Buffer> {
  return readFile(new URL(`${name}/${file}`, vectors));
}

function collect(socket: Socket): { readonly bytes: () => Buffer; readonly ended: Promise<unknown> } {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => {});
  return { bytes: () => Buffer.concat(chunks), ended: once(socket, "close") };
}

/** The head, whose order says nothing, and the frames behind it. */
function parts(bytes: Buffer): unknown {
  const end = bytes.indexOf("\r\n\r\n");
  return { head: headLines(bytes.toString("latin1", 0, end)), frames: bytes.subarray(end + 4).toString("hex") };
}

function headLines(head: string): string[] {
  const [first = "", ...rest] = head.trim().split(/\r?\n/);
  return [first, ...rest.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase())).sort()];
}

function acceptance(key: string): string {
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
}

/** Masked frames of less than 126 bytes, as the recording names them: first byte, then the data as Python shows it. */
function framesOf(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at + 6 <= bytes.length; ) {
    const length = bytes[at + 1]! & 127;
    const mask = bytes.subarray(at + 2, at + 6);
    const data = bytes.subarray(at + 6, at + 6 + length).map((byte, i) => byte ^ mask[i % 4]!);
    frames.push(`${bytes[at]!.toString(16)} b'${shown(data)}'`);
    at += 6 + length;
  }
  return frames;
}

function shown(data: Uint8Array): string {
  return Array.from(data, (byte) =>
    byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`,
  ).join("");
}
