import type { Bridge } from "@mqb/core";
import {
  batchOf,
  type EndpointConfig,
  type EndpointStatus,
  failed,
  kindOf,
  type Message,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { type Body, messageOf } from "./body.ts";
import { errors } from "./errors.ts";

export interface SendOptions {
  /** Stop waiting: what is not accepted then has failed. */
  readonly signal?: AbortSignal;
}

/** Opens a sink for code to send to, with the middlewares of its configuration. `{ ref: name }` opens one of the bridge's. */
export async function openSender(bridge: Pick<Bridge, "openPublisher">, endpoint: EndpointConfig): Promise<Sender> {
  const sender = new Sender(() => bridge.openPublisher(endpoint));
  await sender.open();
  return sender;
}

/** An open sink. After a connection error it is opened anew by the next call. */
export class Sender {
  private readonly connect: () => Promise<Publisher>;
  private held: Promise<Publisher> | undefined;
  private closed = false;

  /** Made by `openSender`. */
  constructor(connect: () => Promise<Publisher>) {
    this.connect = connect;
  }

  /** Sends one message. Rejects with the reason when the sink does not take it. */
  async send(body: Body, options?: SendOptions): Promise<void> {
    const [outcome] = await this.sendBatch([body], options);
    if (outcome!.type === "failed") throw outcome!.error;
  }

  /** Sends several at once. One outcome per message, by position. Rejects only when the sink cannot be opened. */
  async sendBatch(bodies: readonly Body[], { signal = NEVER }: SendOptions = {}): Promise<readonly Outcome[]> {
    const batch = batchOf(bodies.map((body) => messageOf(body, "the code that sends")));
    if (batch.length === 0) return [];
    const holding = this.open();
    const publisher = await holding;
    try {
      const outcomes = await publisher.send(batch, signal);
      if (outcomes?.some((outcome) => outcome.type === "failed" && isCut(outcome.error))) this.lose(holding, publisher);
      return outcomes ?? bodies.map(() => ({ type: "accepted" }));
    } catch (error) {
      if (isCut(error)) this.lose(holding, publisher);
      return bodies.map(() => failed(error));
    }
  }

  /** Sends a message and waits for its answer. Rejects when it is not taken, or taken without an answer. */
  async request(body: Body, options?: SendOptions): Promise<Message> {
    const message = messageOf(body, "the code that sends");
    const [outcome] = await this.sendBatch([message], options);
    if (outcome!.type === "replied") return outcome!.message;
    throw outcome!.type === "failed" ? outcome!.error : errors.NO_REPLY({ id: message.id });
  }

  /** Resolves when everything accepted is as durable as the endpoint makes it. */
  async flush(): Promise<void> {
    await (await this.held)?.flush?.();
  }

  /** The state of the sink; undefined while it is not open, or where it has none to tell. */
  async status(): Promise<EndpointStatus | undefined> {
    return (await this.held?.catch(() => undefined))?.status?.();
  }

  /** Idempotent. Writes what is held back first. */
  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    const publisher = await this.held?.catch(() => undefined);
    try {
      await publisher?.flush?.();
    } finally {
      await publisher?.close();
    }
  }

  /** Opens the sink unless it is open. */
  open(): Promise<Publisher> {
    if (this.closed) return Promise.reject(errors.CLOSED({ what: "sender" }));
    if (this.held) return this.held;
    const opening = this.connect();
    this.held = opening;
    opening.catch(() => {
      if (this.held === opening) this.held = undefined;
    });
    return opening;
  }

  private lose(holding: Promise<Publisher>, publisher: Publisher): void {
    if (this.held !== holding) return;
    this.held = undefined;
    publisher.close().catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

const NEVER = new AbortController().signal;

function isCut(error: unknown): boolean {
  return kindOf(error, "retryable") === "connection";
}
