import {
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type Message,
  type OpenContext,
  sleep,
} from "@mqb/core/plugin";
import { openPigeonhole, type Pigeonhole } from "./client.ts";
import type { PigeonholeConfig } from "./config.ts";
import { fromFile } from "./convert.ts";

export async function openConsumer(config: PigeonholeConfig, context: OpenContext): Promise<Consumer> {
  return new PigeonholeConsumer(await openPigeonhole(config, context), config, context);
}

class PigeonholeConsumer implements Consumer {
  private readonly folder: Pigeonhole;
  private readonly config: PigeonholeConfig;
  private readonly context: OpenContext;
  /** Names of the last listing that were not given out yet. */
  private waiting: string[] = [];
  /** Names that are given out and not settled: a new listing has them still. */
  private readonly taken = new Set<string>();
  private readonly closing = new AbortController();

  constructor(folder: Pigeonhole, config: PigeonholeConfig, context: OpenContext) {
    this.folder = folder;
    this.config = config;
    this.context = context;
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    const stop = AbortSignal.any([signal, this.closing.signal]);
    while (!stop.aborted) {
      if (this.waiting.length === 0) this.waiting = await this.listFree();
      const delivery = await this.take(max);
      if (delivery.batch.length > 0 || this.context.draining) return delivery;
      await sleep(this.context.clock, this.config.poll_ms, stop);
    }
    return { batch: batchOf([]), commit: async () => {} };
  }

  async close(): Promise<void> {
    // What was taken and is not acked is returned by doing nothing: its file is still there.
    this.closing.abort();
  }

  status(): EndpointStatus {
    return { healthy: true, target: this.folder.path, pending: this.waiting.length + this.taken.size };
  }

  private async listFree(): Promise<string[]> {
    return (await this.folder.list()).filter((name) => !this.taken.has(name));
  }

  private async take(max: number): Promise<Delivery> {
    const names = this.waiting.slice(0, max);
    const files = await Promise.all(names.map((name) => this.folder.read(name)));
    const taken: string[] = [];
    const messages: Message[] = [];
    for (const [i, name] of names.entries()) {
      const bytes = files[i];
      try {
        if (bytes !== undefined) {
          messages.push(fromFile(name, bytes));
          taken.push(name);
        }
        this.waiting.shift();
      } catch (error) {
        // What lies before a bad file is delivered first.
        if (messages.length > 0) break;
        throw error;
      }
    }
    for (const name of taken) this.taken.add(name);
    return { batch: batchOf(messages), commit: (dispositions) => this.settle(taken, dispositions) };
  }

  /** Acked files go away; the others are found again by the next listing. */
  private async settle(names: readonly string[], dispositions: readonly Disposition[] | undefined): Promise<void> {
    try {
      const acked = names.filter((_, i) => dispositions?.[i]?.type !== "nack");
      await Promise.all(acked.map((name) => this.folder.remove(name)));
    } finally {
      for (const name of names) this.taken.delete(name);
    }
  }
}
