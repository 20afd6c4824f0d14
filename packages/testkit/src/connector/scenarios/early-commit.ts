import { ok } from "node:assert/strict";
import type { Message, MessageBatch, Publisher } from "@mqb/core/plugin";
import { acknowledges, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

const COUNT = 64;
const STUCK = 5;
const OTHERS = 3;

export const earlyCommit: ConnectorScenario = {
  name: "a message that the sink has not accepted is not committed with later ones of a concurrent route",
  leftOut: unless(acknowledges, stored),
  async run(lab) {
    await lab.seed(lab.messages(COUNT));
    const sink = new StuckSink((message) => lab.number(message) === STUCK);
    const route = lab.routes.from(sink, { concurrency: 8, batch_size: 4 });
    await lab.soon(route.start(), "the start of the route");
    await lab.soon(sink.reached, "the stuck batch and others beside it");
    await route.stop({ graceMs: 0 });

    const rest = await lab.rest();
    for (const message of sink.held) {
      const n = lab.number(message);
      ok(rest.includes(n), `message ${n} was never accepted and is gone from the source`);
    }
  },
};

/** Never accepts the batch that holds a certain message, and accepts the others. */
class StuckSink implements Publisher {
  readonly held: Message[] = [];
  /** Resolves when the batch is stuck and some others were accepted. */
  readonly reached: Promise<void>;
  private readonly isStuck: (message: Message) => boolean;
  private passed = 0;
  private reach!: () => void;

  constructor(isStuck: (message: Message) => boolean) {
    this.isStuck = isStuck;
    this.reached = new Promise((resolve) => {
      this.reach = resolve;
    });
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<undefined> {
    const messages = [...batch];
    const stuck = messages.some(this.isStuck);
    if (stuck) this.held.push(...messages);
    else this.passed++;
    if (this.held.length > 0 && this.passed >= OTHERS) this.reach();
    if (!stuck) return;
    await new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason as Error);
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  }

  async close(): Promise<void> {}
}
