import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  request as send,
} from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createBridge, createRegistry, type Route } from "@mqb/core";
import type { Clock, Consumer, EndpointDefinition, Plugin, Publisher } from "@mqb/core/plugin";
import { systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { type FakeContext, fakeContext, type RecordingLogger, recordingLogger } from "@mqb/testkit";
import plugin, { type HttpOptions, http } from "../src/index.ts";
import { httpSchema } from "../src/schema.ts";

export const ANY_PORT = "127.0.0.1:0";

/** A route that listens, and where. */
export interface Listening extends AsyncDisposable {
  readonly route: Route;
  readonly port: number;
  readonly url: string;
  readonly log: RecordingLogger;
}

/** Starts a route whose input is http on any free port. */
export async function listening(
  input: Partial<HttpOptions>,
  output: unknown,
  options: {
    readonly plugins?: readonly Plugin[];
    readonly middlewares?: readonly unknown[];
    readonly route?: object;
  } = {},
): Promise<Listening> {
  const log = recordingLogger();
  const registry = createRegistry([plugin, standard, ...(options.plugins ?? [])]);
  const bridge = createBridge({ registry, log });
  const middlewares = options.middlewares ? { middlewares: options.middlewares } : {};
  const config = { ...options.route, input: { ...middlewares, http: { url: ANY_PORT, ...input } }, output };
  const route = bridge.route("r", config as never);
  await route.start();
  const port = portOf(route);
  const stop = async (): Promise<void> => void (await route.stop({ graceMs: 0 }));
  return { route, port, url: `http://127.0.0.1:${port}`, log, [Symbol.asyncDispose]: stop };
}

export function portOf(route: Route): number {
  const { details } = route.status().input!;
  return Number(/:(\d+)$/.exec(String(details!["bound_addr"]))![1]);
}

/** A server of the test's own, and the requests that it has seen. */
export interface Stub extends AsyncDisposable {
  readonly server: Server;
  readonly url: string;
  readonly port: number;
}

export async function stub(listener: RequestListener): Promise<Stub> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** A stub that reads each request and answers with what `answer` gives. */
export function answering(
  answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void,
): Promise<Stub> {
  return stub((request, response) => {
    bodyOf(request).then(
      (body) => answer(request, body, response),
      () => response.destroy(),
    );
  });
}

export interface OpenedEnd<T> extends AsyncDisposable {
  readonly end: T;
  readonly context: FakeContext<Clock>;
  readonly log: RecordingLogger;
}

const definition: EndpointDefinition<never> = http as never;

/** Opens the sink alone. */
export async function sink(
  options: HttpOptions,
  plugins: readonly Plugin[] = [],
  clock: Clock = systemClock,
): Promise<OpenedEnd<Publisher>> {
  const opened = contextOf("output", plugins, clock);
  const end = await definition.output!.open(httpSchema.parse(options) as never, opened.context);
  return { end, ...opened, [Symbol.asyncDispose]: () => end.close() };
}

/** Opens the source alone. */
export async function source(
  options: Partial<HttpOptions>,
  clock: Clock = systemClock,
): Promise<OpenedEnd<Consumer> & { readonly port: number }> {
  const opened = contextOf("input", [], clock);
  const config = httpSchema.parse({ url: ANY_PORT, ...options });
  const end = await definition.input!.open(config as never, opened.context);
  const port = Number(/:(\d+)$/.exec(String(end.status!().details!["bound_addr"]))![1]);
  return { end, port, ...opened, [Symbol.asyncDispose]: () => end.close() };
}

function contextOf(side: "input" | "output", plugins: readonly Plugin[], clock: Clock) {
  const log = recordingLogger();
  const context = fakeContext<Clock>({ side, path: side, log, clock, plugins: [plugin, standard, ...plugins] });
  return { context, log };
}

/** Sends bytes over a connection and gives back everything that comes until the server ends it. */
export async function raw(port: number, bytes: Buffer | string): Promise<Buffer> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => {});
  socket.write(bytes);
  // A reset is an end like any other.
  await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(chunks);
}

/** The signal of a send that nobody gives up. */
export const forever = (): AbortSignal => new AbortController().signal;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly trailers: NodeJS.Dict<string>;
  readonly bytes: Buffer;
  readonly text: string;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string | string[]>;
  readonly body?: Buffer | string;
  readonly signal?: AbortSignal;
}

/** Sends one request over a connection of its own. */
export async function ask(url: string, { method = "POST", headers = {}, body, signal }: Asking = {}): Promise<Answer> {
  const request = send(url, { method, headers, agent: false, ...(signal && { signal }) });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const bytes = await bodyOf(response);
  const { statusCode = 0, rawHeaders, trailers } = response;
  return { status: statusCode, headers: response.headers, rawHeaders, trailers, bytes, text: bytes.toString() };
}
