import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { Message } from "@mqb/core/plugin";
import type { Address } from "../../src/index.ts";
import { type Entry, Topic } from "./topic.ts";

export interface WireMessage {
  readonly id: string;
  readonly payload: string;
  readonly metadata: readonly (readonly [string, string])[];
}

export type Request = { readonly n: number; readonly topic: string } & (
  | { readonly op: "put"; readonly messages: readonly WireMessage[] }
  | { readonly op: "take"; readonly max: number }
  | { readonly op: "settle"; readonly acked: readonly number[]; readonly nacked: readonly number[] }
);

export interface Response {
  readonly n: number;
  /** Of `take`: each with the tag by which it is settled. */
  readonly taken?: readonly (readonly [tag: number, message: WireMessage])[];
}

/** A small broker behind a socket, one JSON document per line. Topics outlive connections and restarts. */
export class WireServer {
  private readonly topics = new Map<string, Topic>();
  private readonly sockets = new Set<Socket>();
  private listener: Server | undefined;
  private port = 0;
  private tags = 0;

  get address(): Address {
    return { host: "127.0.0.1", port: this.port };
  }

  async start(): Promise<void> {
    this.listener = createServer((socket) => this.serve(socket));
    this.listener.listen(this.port, "127.0.0.1");
    await once(this.listener, "listening");
    this.port = (this.listener.address() as { port: number }).port;
  }

  async stop(): Promise<void> {
    const { listener } = this;
    if (!listener) return;
    const closed = once(listener, "close");
    listener.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  private topic(name: string): Topic {
    let topic = this.topics.get(name);
    if (!topic) this.topics.set(name, (topic = new Topic()));
    return topic;
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    const taken = new Map<number, { readonly topic: Topic; readonly entry: Entry }>();
    const gone = new AbortController();
    socket.on("error", () => {});
    socket.on("close", () => {
      this.sockets.delete(socket);
      gone.abort();
      for (const { topic, entry } of [...taken.values()].reverse()) topic.back([entry]);
    });
    const lines = createInterface({ input: socket });
    lines.on("error", () => {});
    lines.on("line", (line) => {
      void this.answer(JSON.parse(line) as Request, taken, gone.signal).then((response) => {
        if (!gone.signal.aborted) socket.write(`${JSON.stringify(response)}\n`);
      });
    });
  }

  private async answer(
    request: Request,
    taken: Map<number, { readonly topic: Topic; readonly entry: Entry }>,
    gone: AbortSignal,
  ): Promise<Response> {
    const { n } = request;
    const topic = this.topic(request.topic);
    if (request.op === "put") {
      for (const message of request.messages) topic.put({ message: fromWire(message) });
      return { n };
    }
    if (request.op === "take") {
      while (topic.waiting.length === 0 && !gone.aborted) await topic.changed(gone);
      const entries = gone.aborted ? [] : topic.take(request.max);
      const tagged = entries.map((entry) => {
        taken.set(++this.tags, { topic, entry });
        return [this.tags, toWire(entry.message)] as const;
      });
      return { n, taken: tagged };
    }
    const back = request.nacked.flatMap((tag) => taken.get(tag)?.entry ?? []);
    for (const tag of [...request.acked, ...request.nacked]) taken.delete(tag);
    if (back.length > 0) topic.back(back);
    return { n };
  }
}

export function toWire({ id, payload, metadata }: Message): WireMessage {
  return { id, payload: Buffer.from(payload).toString("base64"), metadata: [...metadata] };
}

export function fromWire({ id, payload, metadata }: WireMessage): Message {
  return new Message(Buffer.from(payload, "base64"), new Map(metadata), id);
}
