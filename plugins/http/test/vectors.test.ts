import { cp, readdir, readFile } from "node:fs/promises";
import { createServer, type Socket } from "node:net";
import { createBridge, createRegistry, type Route } from "@mqb/core";
import expression from "@mqb/expression";
import file from "@mqb/file";
import lookup from "@mqb/lookup";
import standard from "@mqb/standard";
import { eventually, TempDir } from "@mqb/testkit";
import transform from "@mqb/transform";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import plugin from "../src/index.ts";
import { portOf, raw } from "./support.ts";

/** Recorded runs of the original: a configuration, what a client sent, and what it was answered; or the other way round. */
const vectors = new URL("./vectors/", import.meta.url);

interface Vector {
  readonly outputs: Readonly<Record<string, { readonly compare: string; readonly expected: string }>>;
  readonly inputs: readonly string[];
}

const registry = createRegistry([plugin, standard, file, lookup, transform, expression]);
const names = (await readdir(vectors)).sort();

/** Where ours differs, and why; `docs/compatibility.md` says it to users. */
const WORDING = new Set(["306-http-in-file/resp-badgzip.bin"]);
const OMITS_REQUEST_HEADERS = new Set(["322-http-in-lookup-input/resp-ok.bin"]);
const LENGTH_OF_EMPTY_BODY = new Set(["325-http-out-method-metadata/requests/01.bin"]);

describe("recorded runs of the original", () => {
  it.each(names.filter((name) => name.includes("-in-")))("%s", async (name) => {
    await using dir = await TempDir.make();
    const vector = await copy(name, dir);
    const routes = await configured(dir, (config) => config.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:0"));
    const bridge = createBridge({ registry, baseDir: dir.path });
    const started: Route[] = [];
    for (const [key, config] of Object.entries(routes)) started.push(bridge.route(key, config as never));
    for (const route of started) await route.start();
    try {
      const port = portOf(started[0]!);
      for (const input of vector.inputs.filter((one) => one.startsWith("input.req-"))) {
        const label = input.slice("input.req-".length, -".bin".length);
        const answer = await raw(port, await readFile(dir.file(input)));
        const recorded = await readFile(dir.file(`expected.resp-${label}.bin`));
        compareAnswers(`${name}/resp-${label}.bin`, answer, recorded);
      }
    } finally {
      for (const route of started) await route.stop();
    }
    await compareFiles(name, vector, dir);
  });

  it.each(names.filter((name) => name.includes("-out-")))("%s", async (name) => {
    await using dir = await TempDir.make();
    const vector = await copy(name, dir);
    await using server = await recordingServer(RESPONDERS[name.slice(0, 3)]!);
    const routes = await configured(dir, (config) =>
      config.replaceAll(/127\.0\.0\.1:\d+/g, `127.0.0.1:${server.port}`),
    );
    const route = createBridge({ registry, baseDir: dir.path }).route("r", routes["r"] as never);
    await route.start();
    await route.done;
    const recorded = (await readdir(dir.file("expected/requests"))).sort();
    expect(server.requests).toHaveLength(recorded.length);
    for (const [i, file] of recorded.entries()) {
      const wanted = await readFile(dir.file(`expected/requests/${file}`));
      compareRequests(`${name}/requests/${file}`, server.requests[i]!, wanted);
    }
    await compareFiles(name, vector, dir);
  });
});

async function copy(name: string, dir: TempDir): Promise<Vector> {
  await cp(new URL(`${name}/`, vectors), dir.path, { recursive: true });
  return JSON.parse(await dir.read("vector.json")) as Vector;
}

async function configured(dir: TempDir, change: (config: string) => string): Promise<Record<string, unknown>> {
  return (parse(change(await dir.read("config.yaml"))) as { routes: Record<string, unknown> }).routes;
}

type Responder = (request: { readonly path: string; readonly body: string }) => string;

const answer = (status: string, body: string, headers = ""): string =>
  `HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const fine: Responder = () =>
  answer("200 OK", '{"ok":true}', "Content-Type: application/json\r\nX-R: 1\r\nSet-Cookie: s=1\r\n");
const absent: Responder = () => answer("404 Not Found", "nope");

/** What the recorded server answered. */
const RESPONDERS: Readonly<Record<string, Responder>> = {
  325: fine,
  326: fine,
  327: absent,
  329: () => answer("503 Service Unavailable", "busy"),
  330: () => answer("404 Not Found", "nope", "X-Y: z\r\nX-Y: w\r\n"),
  331: absent,
  333: ({ path }) => (path === "/users/9" ? answer("404 Not Found", "no") : answer("200 OK", '{"n": 1.0}')),
  334: ({ body }) => answer(`${body} Status`, "body", "Location: /x\r\n"),
  335: () => answer("200 OK", "r", "Set-Cookie: sid=1; Path=/\r\nSet-Cookie: b=2; Max-Age=0\r\nX-Csrf: tok\r\n"),
};

/** Keeps the bytes of each request. */
async function recordingServer(responder: Responder) {
  const requests: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let held = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      held = Buffer.concat([held, chunk]);
      for (let end = held.indexOf("\r\n\r\n"); end >= 0; end = held.indexOf("\r\n\r\n")) {
        const head = held.subarray(0, end).toString("latin1");
        const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
        const whole = end + 4 + length;
        if (held.length < whole) return;
        requests.push(held.subarray(0, whole));
        const body = held.subarray(end + 4, whole).toString();
        held = held.subarray(whole);
        socket.write(responder({ path: head.split(" ")[1]!, body }));
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    requests,
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Parsed {
  readonly first: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

function parsed(bytes: Buffer): Parsed {
  const text = bytes.toString("latin1");
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return {
    first,
    headers: Object.fromEntries(headers.sort(([a], [b]) => (a < b ? -1 : 1))),
    body: text.slice(end + 4),
  };
}

function compareAnswers(place: string, got: Buffer, recorded: Buffer): void {
  const [ours, theirs] = [parsed(got), parsed(recorded)];
  expect(ours.headers["date"], place).toBeTruthy();
  for (const { headers } of [ours, theirs]) {
    delete headers["date"];
    for (const masked of ["correlation_id", "mqb.reader.message_id"]) if (headers[masked]) headers[masked] = "<ID>";
  }
  if (WORDING.has(place)) {
    expect(ours.first).toBe(theirs.first);
    expect(ours.body).toMatch(/^Failed to decompress request body: /);
    return;
  }
  if (OMITS_REQUEST_HEADERS.has(place)) {
    for (const name of ["http_method", "http_path", "http_query", "http_version", "host"]) {
      expect(ours.headers, place).not.toHaveProperty(name);
      delete theirs.headers[name];
    }
  }
  const mask = (text: string): string =>
    text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<UUID7>");
  // The texts of statuses are not part of a protocol.
  expect(ours.first.slice(0, 12), place).toBe(theirs.first.slice(0, 12));
  expect({ ...ours.headers }, place).toEqual(theirs.headers);
  expect(mask(ours.body), place).toBe(mask(theirs.body));
}

function compareRequests(place: string, got: Buffer, recorded: Buffer): void {
  const [ours, theirs] = [parsed(got), parsed(recorded)];
  for (const { headers } of [ours, theirs]) {
    // Of the connection, and of the port that the server had.
    delete headers["connection"];
    delete headers["host"];
  }
  if (LENGTH_OF_EMPTY_BODY.has(place)) theirs.headers["content-length"] = "0";
  expect(ours.first, place).toBe(theirs.first);
  expect(ours.headers, place).toEqual(theirs.headers);
  expect(ours.body, place).toBe(theirs.body);
}

async function compareFiles(name: string, { outputs }: Vector, dir: TempDir): Promise<void> {
  for (const [output, { compare, expected }] of Object.entries(outputs)) {
    if (!compare.startsWith("jsonl") && !compare.startsWith("exact")) continue;
    const got = await eventually(() => readFile(dir.file(output), "utf8"), `${output} of ${name}`);
    const want = await readFile(dir.file(expected), "utf8");
    if (compare === "exact") expect(got, output).toBe(want);
    else expect(lines(got), output).toEqual(lines(want));
  }
}

interface Line {
  readonly metadata?: Record<string, string>;
}

/** Fresh ids, times and texts of errors are ours; so is a header that is no ASCII, which the original drops. */
function lines(text: string): unknown[] {
  return text.split("\n").map((line) => {
    if (line === "") return "";
    const shown = line.replace(/"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"/g, '"<UUID7>"');
    const value = JSON.parse(shown) as Line;
    for (const key of ["mq_bridge.dlq.error", "mq_bridge.dlq.timestamp_ms", "mq_bridge.dlq.route"]) {
      if (value.metadata && key in value.metadata) value.metadata[key] = "<OURS>";
    }
    if (value.metadata?.["x-u"] === "ü") delete value.metadata["x-u"];
    // A dead letter is the message as it came, not the last try to send it.
    if (value.metadata && "mq_bridge.dlq.error" in value.metadata) delete value.metadata["mq_bridge.retry.attempt"];
    return value;
  });
}
