import type { Message, Metadata } from "@mqb/core/plugin";

export const CORRELATION_ID = "correlation_id";

/** Who waits for the answer to one request. */
export interface PendingReply {
  replied(message: Message): void;
  /** The request was settled, and there will be no answer. */
  acknowledged(): void;
  /** The request failed and does not come back. */
  refused(): void;
}

/** The requests of a topic that wait for their answer, by `correlation_id`. */
export class Replies {
  private readonly pending = new Map<string, PendingReply>();

  get size(): number {
    return this.pending.size;
  }

  /** Returns false when the id waits already. */
  wait(correlationId: string, reply: PendingReply): boolean {
    if (this.pending.has(correlationId)) return false;
    this.pending.set(correlationId, reply);
    return true;
  }

  /** Frees the id; nobody is told. */
  forget(correlationId: string): void {
    this.pending.delete(correlationId);
  }

  /** Takes who waits for this request out, so that it is told once. */
  settle(request: Metadata): PendingReply | undefined {
    const id = request.get(CORRELATION_ID);
    if (id === undefined) return undefined;
    const reply = this.pending.get(id);
    if (reply) this.pending.delete(id);
    return reply;
  }
}
