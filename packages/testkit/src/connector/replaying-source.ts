import { batchOf, type Consumer, type Delivery, type EndpointStatus, type Message } from "@mqb/core/plugin";

/** A source in memory that gives its messages in order until they are acked, also after it was closed and opened again. */
export class ReplayingSource implements Consumer {
  /** How many messages were acked. */
  acked = 0;
  private readonly waiting: Message[];
  private readonly taken = new Set<Message>();
  private opening = 0;
  private allowed = Number.POSITIVE_INFINITY;

  constructor(messages: readonly Message[]) {
    this.waiting = [...messages];
  }

  /** Gives no more than so many messages in all, until it is called again. What comes back counts once. */
  allow(count: number): void {
    this.allowed = count;
  }

  async receive(max: number): Promise<Delivery> {
    const room = Math.max(0, this.allowed - this.acked - this.taken.size);
    const messages = this.waiting.splice(0, Math.min(max, room));
    const { opening } = this;
    for (const message of messages) this.taken.add(message);
    return {
      batch: batchOf(messages),
      commit: async (dispositions) => {
        if (opening !== this.opening) throw new Error("committed after close");
        const back = messages.filter((_, i) => dispositions?.[i]?.type === "nack");
        for (const message of messages) this.taken.delete(message);
        this.acked += messages.length - back.length;
        this.waiting.unshift(...back);
      },
    };
  }

  async close(): Promise<void> {
    this.opening++;
    this.waiting.unshift(...this.taken);
    this.taken.clear();
  }

  status(): EndpointStatus {
    return { healthy: true, target: "memory", pending: this.waiting.length };
  }
}
