import type { Consumer, Delivery, Message } from "@mqb/core/plugin";
import { systemClock } from "@mqb/core/plugin";
import standard from "@mqb/standard";
import { type FakeContext, fakeContext, type RecordingLogger, recordingLogger, within } from "@mqb/testkit";
import { cdcSchema } from "../../src/cdc/config.ts";
import plugin from "../../src/index.ts";

export interface CaptureOptions {
  readonly session?: Map<string, unknown>;
  readonly draining?: boolean;
  readonly positions?: boolean;
}

/** An opened source, with what tests do with one. */
export class Capture {
  readonly log: RecordingLogger;
  readonly consumer: Consumer;
  readonly session: Map<string, unknown>;

  private constructor(consumer: Consumer, log: RecordingLogger, session: Map<string, unknown>) {
    this.consumer = consumer;
    this.log = log;
    this.session = session;
  }

  static async open(options: Readonly<Record<string, unknown>>, more: CaptureOptions = {}): Promise<Capture> {
    const definition = plugin.endpoints!["mysql_cdc"]!;
    const log = recordingLogger();
    const session = more.session ?? new Map<string, unknown>();
    const config = cdcSchema.parse(options);
    const context: FakeContext<typeof systemClock> = fakeContext({
      log,
      clock: systemClock,
      plugins: [standard, plugin],
      session,
      draining: more.draining ?? false,
      positions: more.positions ?? false,
    });
    return new Capture(await definition.input!.open(config, context), log, session);
  }

  receive(max = 1000, ms = 10_000): Promise<Delivery> {
    return within(this.consumer.receive(max, new AbortController().signal), "a batch", ms);
  }

  /** At least so many messages, acked batch by batch. */
  async take(count: number, max = 1000): Promise<Message[]> {
    const messages: Message[] = [];
    while (messages.length < count) {
      const delivery = await this.receive(max);
      messages.push(...delivery.batch);
      await delivery.commit();
    }
    return messages;
  }

  /** Everything to the end of a drain. */
  async drain(max = 1000): Promise<Message[]> {
    const messages: Message[] = [];
    for (;;) {
      const delivery = await this.receive(max);
      if (delivery.batch.length === 0) return messages;
      messages.push(...delivery.batch);
      await delivery.commit();
    }
  }

  details(): Readonly<Record<string, unknown>> {
    return this.consumer.status!().details!;
  }

  close(): Promise<void> {
    return within(this.consumer.close(), "the close");
  }
}
