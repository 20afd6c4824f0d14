import type { Outcome } from "../../src/contract/disposition.ts";
import type { Publisher } from "../../src/contract/endpoint.ts";
import type { MessageBatch } from "../../src/message/batch.ts";

type Answer = readonly Outcome[] | undefined;
export type Send = (batch: MessageBatch, call: number, signal: AbortSignal) => Promise<Answer> | Answer;

/** A sink that keeps the texts of what it is sent. `send` is what each call does, by default: accept. */
export class FakePublisher implements Publisher {
  /** The texts of each call. */
  readonly sent: string[][] = [];
  running = 0;
  mostRunning = 0;
  flushed = 0;
  closed = 0;
  onFlush: () => Promise<void> | void = () => {};
  onClose: () => Promise<void> | void = () => {};
  private readonly onSend: Send;

  constructor(send: Send = () => undefined) {
    this.onSend = send;
  }

  get texts(): string[] {
    return this.sent.flat();
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<Answer> {
    this.sent.push([...batch].map((message) => message.text()));
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      return await this.onSend(batch, this.sent.length, signal);
    } finally {
      this.running -= 1;
    }
  }

  async flush(): Promise<void> {
    this.flushed += 1;
    await this.onFlush();
  }

  async close(): Promise<void> {
    this.closed += 1;
    await this.onClose();
  }
}
