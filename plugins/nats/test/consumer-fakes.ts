import type { Shared } from "@mqb/core/plugin";
import type { Connection, Watcher } from "../src/client/connection.ts";
import type { Take } from "../src/client/reader.ts";
import { frameOf } from "./frame-of.ts";

/** A connection that writes down what it is given, and passes on what the test sends. */
export class FakeConnection {
  readonly target = "test:4222";
  readonly maxPayload = 1024 * 1024;
  readonly written: string[] = [];
  end: Error | undefined;
  watcher: Watcher | undefined;
  hear: Take = () => {};
  /** The server does not permit the subscription. */
  refuse: () => void = () => {};
  /** Where the subscription receives. */
  subject = "";
  private readonly held: Shared<Connection>;

  constructor() {
    this.held = { value: this as unknown as Connection, release: async () => {} };
  }

  get shared(): Shared<Connection> {
    return this.held;
  }

  watch(watcher: Watcher): () => void {
    this.watcher = watcher;
    return () => {};
  }

  subscribe(subject: string, take: Take, refused: () => void): object {
    this.subject = subject;
    this.hear = take;
    this.refuse = refused;
    return { unsubscribe: () => {}, drain: async () => {} };
  }

  write(commands: Uint8Array): void {
    this.written.push(Buffer.from(commands).toString());
  }

  async flush(): Promise<void> {
    if (this.end) throw this.end;
  }

  lose(error: Error): void {
    this.end = error;
    this.watcher!.lost(error as never);
  }

  /** A message of a stream. */
  give(sequence: number, text = `${sequence}`): void {
    this.hear(frameOf({ payload: text, reply: `$JS.ACK.s.c.1.${sequence}.${sequence}.1.0` }));
  }
}
