import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Address } from "@mqb/testkit";

const CRLF = "\r\n";
const ANSWER_MS = 10_000;

/** A client of the protocol of NATS, as small as it can be: requests and their answers. Shares nothing with any library. */
export class NatsClient {
  private readonly socket: Socket;
  private readonly inbox = `_INBOX.campaign.${Math.random().toString(36).slice(2)}`;
  private readonly waiting = new Map<string, (payload: Buffer) => void>();
  private received: Buffer = Buffer.alloc(0);
  private requests = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => this.take(chunk));
    socket.write(`CONNECT {"verbose":false,"headers":true,"no_responders":true}${CRLF}SUB ${this.inbox}.* 1${CRLF}`);
  }

  static async connect(address: Address): Promise<NatsClient> {
    const socket = connect(address);
    await once(socket, "connect");
    return new NatsClient(socket);
  }

  /** Publishes with a reply subject, and resolves with the payload of the answer. */
  request(subject: string, payload: string | Buffer, header = ""): Promise<Buffer> {
    const id = String(++this.requests);
    const body = Buffer.from(payload);
    const head = header === "" ? "" : `NATS/1.0${CRLF}${header}${CRLF}${CRLF}`;
    const sizes = head === "" ? `${body.length}` : `${head.length} ${head.length + body.length}`;
    const verb = head === "" ? "PUB" : "HPUB";
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error(`NATS gave no answer on ${subject}`));
      }, ANSWER_MS);
      this.waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.socket.write(`${verb} ${subject} ${this.inbox}.${id} ${sizes}${CRLF}${head}`);
      this.socket.write(body);
      this.socket.write(CRLF);
    });
  }

  /** A request of the JetStream API. Rejects with what it complains of. */
  async api(name: string, body: object = {}): Promise<Record<string, unknown>> {
    const answer = JSON.parse(String(await this.request(`$JS.API.${name}`, JSON.stringify(body)))) as Record<
      string,
      unknown
    >;
    const error = answer["error"] as { description?: string } | undefined;
    if (error) throw new Error(`${name}: ${error.description}`);
    return answer;
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = Buffer.concat([this.received, chunk]);
    for (;;) {
      const end = this.received.indexOf(CRLF);
      if (end < 0) return;
      const line = this.received.toString("latin1", 0, end);
      const words = line.split(" ");
      let next = end + 2;
      if (words[0] === "MSG" || words[0] === "HMSG") {
        const size = Number(words.at(-1));
        if (this.received.length < next + size + 2) return;
        const head = words[0] === "HMSG" ? Number(words.at(-2)) : 0;
        this.answer(words[1]!, Buffer.from(this.received.subarray(next + head, next + size)));
        next += size + 2;
      } else if (words[0] === "PING") {
        this.socket.write(`PONG${CRLF}`);
      }
      this.received = this.received.subarray(next);
    }
  }

  private answer(subject: string, payload: Buffer): void {
    const id = subject.slice(this.inbox.length + 1);
    const settle = this.waiting.get(id);
    this.waiting.delete(id);
    settle?.(payload);
  }
}
