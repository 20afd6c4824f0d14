import type { Disposition, Message } from "@mqb/core/plugin";

/** One message on its way from a client to the route, and its answer on the way back. */
export interface Entry {
  readonly message: Message;
  /** Monotonic milliseconds: when it began to wait for what it waits for now. */
  since: number;
  /** Nobody wants the message: its client is gone or was refused, and will ask again. */
  readonly isVoid: boolean;
  /** Part of a body that is not read on while it waits: it may wait as long as the route works. */
  readonly isPaced: boolean;
  /** The route will have it; called when there is room for it, once. */
  accepted(): void;
  /** The route has had it; undefined stands for an ack. Gives what to wait for before its answer is written. */
  settle(disposition: Disposition | undefined): Promise<void> | undefined;
  /** Its answer could not be written: it gets another one, or none. Never throws. */
  spoil(): void;
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
