import type { Disposition, Message } from "@mqb/core/plugin";

/** One message on its way from a client to the route, and its answer on the way back. */
export interface Entry {
  readonly message: Message;
  /** Monotonic milliseconds: when it began to wait for what it waits for now. */
  since: number;
  /** Nobody wants the message: its client is gone or was refused, and will ask again. */
  readonly isVoid: boolean;
  /** The route will have it; called when there is room for it, once. */
  accepted(): void;
  /** The route has had it; undefined stands for an ack. */
  settle(disposition: Disposition | undefined): void;
  /** Answers that it was not taken. */
  refuse(status: number, text: string): void;
}

/** What an entry asks of the source that it belongs to. */
export interface Owner {
  /** The whole of it is here. */
  enqueue(entry: Entry): void;
  /** A request is over, whatever became of it. */
  finished(request: object): void;
}
