import {
  ACCEPTED,
  type EndpointStatus,
  failed,
  type Message,
  type MessageBatch,
  type OpenContext,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { openPigeonhole, type Pigeonhole } from "./client.ts";
import type { PigeonholeConfig } from "./config.ts";
import { toFile } from "./convert.ts";

export async function openPublisher(config: PigeonholeConfig, context: OpenContext): Promise<Publisher> {
  return new PigeonholePublisher(await openPigeonhole(config, context), context);
}

class PigeonholePublisher implements Publisher {
  private readonly folder: Pigeonhole;
  private readonly context: OpenContext;
  private written = 0;

  constructor(folder: Pigeonhole, context: OpenContext) {
    this.folder = folder;
    this.context = context;
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const outcomes = await Promise.all(Array.from(batch, (message) => this.put(message, signal)));
    return outcomes.every((outcome) => outcome === ACCEPTED) ? undefined : outcomes;
  }

  async close(): Promise<void> {}

  status(): EndpointStatus {
    return { healthy: true, target: this.folder.path };
  }

  private async put(message: Message, signal: AbortSignal): Promise<Outcome> {
    try {
      signal.throwIfAborted();
      await this.folder.put(this.nextName(message.id), toFile(message));
      return ACCEPTED;
    } catch (error) {
      return failed(error);
    }
  }

  /** In the order of sending when names are sorted; the id keeps two writers apart. */
  private nextName(id: string): string {
    const time = this.context.clock.now().toString(36).padStart(9, "0");
    const count = (this.written++).toString(36).padStart(9, "0");
    return `${time}-${count}-${id}`;
  }
}
