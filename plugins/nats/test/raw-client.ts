import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { addressOf } from "./servers.ts";

/** A message as it was on the wire. */
export interface RawMessage {
  readonly subject: string;
  readonly reply: string | undefined;
  /** The header block with its first and its empty last line; undefined when there is none. */
  readonly headers: Buffer | undefined;
  readonly payload: Buffer;
}

export interface Publish {
  readonly subject: string;
  readonly payload?: string | Uint8Array;
  readonly headers?: readonly (readonly [string, string])[];
  readonly reply?: string;
}

type Listener = (message: RawMessage) => void;

/** The protocol over a socket, without any library: shows what is on the wire, and sends what no library would. */
export class RawClient implements AsyncDisposable {
  private readonly socket: Socket;
  private readonly listeners = new Map<number, Listener>();
  private readonly pongs: (() => void)[] = [];
  private pending = Buffer.alloc(0);
  private lastSid = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => this.read(chunk));
    socket.on("error", () => {});
    const options = { verbose: false, pedantic: false, headers: true, no_responders: true, name: "raw test client" };
    socket.write(`CONNECT ${JSON.stringify(options)}\r\n`);
  }

  static async to(url: string): Promise<RawClient> {
    const socket = connect(addressOf(url));
    await once(socket, "connect");
    const client = new RawClient(socket);
    await client.flush();
    return client;
  }

  /** Resolves when the server has read everything. */
  flush(): Promise<void> {
    return new Promise((resolve) => {
      this.pongs.push(resolve);
      this.socket.write("PING\r\n");
    });
  }

  publish({ subject, payload = "", headers, reply }: Publish): void {
    const body = Buffer.from(payload);
    const to = reply === undefined ? "" : ` ${reply}`;
    if (!headers) {
      this.socket.write(`PUB ${subject}${to} ${body.length}\r\n`);
      this.socket.write(Buffer.concat([body, Buffer.from("\r\n")]));
      return;
    }
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const block = Buffer.from(`NATS/1.0\r\n${lines}\r\n`);
    this.socket.write(`HPUB ${subject}${to} ${block.length} ${block.length + body.length}\r\n`);
    this.socket.write(Buffer.concat([block, body, Buffer.from("\r\n")]));
  }

  subscribe(subject: string, listener: Listener): void {
    const sid = ++this.lastSid;
    this.listeners.set(sid, listener);
    this.socket.write(`SUB ${subject} ${sid}\r\n`);
  }

  /** Everything that comes there from now on. */
  async collect(subject: string): Promise<RawMessage[]> {
    const messages: RawMessage[] = [];
    this.subscribe(subject, (message) => messages.push(message));
    await this.flush();
    return messages;
  }

  request(message: Publish): Promise<RawMessage> {
    return new Promise((resolve) => {
      const inbox = `_INBOX.raw.${process.pid}.${Math.random().toString(36).slice(2)}`;
      this.subscribe(inbox, resolve);
      this.publish({ ...message, reply: inbox });
    });
  }

  /** Asks JetStream; an error is an answer. */
  async api(call: string, body?: unknown): Promise<Record<string, unknown>> {
    const payload = body === undefined ? "" : JSON.stringify(body);
    const answer = await this.request({ subject: `$JS.API.${call}`, payload });
    return JSON.parse(answer.payload.toString()) as Record<string, unknown>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
  }

  private read(chunk: Buffer): void {
    this.pending = Buffer.concat([this.pending, chunk]);
    for (;;) {
      const end = this.pending.indexOf("\r\n");
      if (end < 0) return;
      const line = this.pending.toString("utf8", 0, end);
      const used = this.command(line, end + 2);
      if (used < 0) return;
      this.pending = this.pending.subarray(used);
    }
  }

  /** Returns how many bytes the command has, or -1 when it has not come to its end. */
  private command(line: string, start: number): number {
    const [name = "", ...words] = line.split(/[ \t]+/);
    if (name === "PING") this.socket.write("PONG\r\n");
    if (name === "PONG") this.pongs.shift()?.();
    if (name !== "MSG" && name !== "HMSG") return start;
    const size = Number(words.at(-1));
    if (this.pending.length < start + size + 2) return -1;
    const head = name === "HMSG" ? Number(words.at(-2)) : 0;
    const bytes = Buffer.from(this.pending.subarray(start, start + size));
    const [subject = "", sid = "", ...rest] = words;
    const reply = rest.length > (name === "HMSG" ? 2 : 1) ? rest[0] : undefined;
    const headers = head > 0 ? bytes.subarray(0, head) : undefined;
    this.listeners.get(Number(sid))?.({ subject, reply, headers, payload: bytes.subarray(head) });
    return start + size + 2;
  }
}
