import { batchOf, type Consumer, type Delivery, type EndpointStatus, type Message } from "@mqb/core/plugin";

/** A source of given messages that takes back what is nacked, and ends when nothing is left for now. */
export class ReturningSource implements Consumer {
  /** Messages that were acked or answered. */
  acked = 0;
  nacked = 0;
  /** Breaches of the contract by whoever uses it. */
  readonly violations: string[] = [];
  private readonly queue: Message[];
  private closed = false;

  constructor(messages: readonly Message[]) {
    this.queue = [...messages];
  }

  async receive(max: number): Promise<Delivery> {
    if (this.closed) this.violations.push("receive was called after close");
    const given = this.queue.splice(0, max);
    let committed = false;
    return {
      batch: batchOf(given),
      commit: async (dispositions) => {
        if (committed) this.violations.push("a delivery was committed twice");
        if (this.closed) this.violations.push("a delivery was committed after close");
        committed = true;
        if (dispositions && dispositions.length !== given.length)
          this.violations.push(`${given.length} messages were committed with ${dispositions.length} dispositions`);
        for (const [i, message] of given.entries()) {
          if (dispositions?.[i]?.type === "nack") {
            this.nacked += 1;
            this.queue.push(message);
          } else this.acked += 1;
        }
      },
    };
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  status(): EndpointStatus {
    return { healthy: true, target: "returning" };
  }
}
