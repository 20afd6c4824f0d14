import { type Clock, sleep } from "@mqb/core/plugin";
import type { RdkafkaConsumerHandle, RdkafkaError, RdkafkaMessage, RdkafkaOffset, RdkafkaPlace } from "./driver.ts";

export interface ReaderHost {
  readonly clock: Clock;
  /** Bytes that one call may bring, about. */
  readonly budget: number;
  /** Messages that one call may bring. The library tells of what went wrong only where no message came before it in the same call. */
  readonly mostAtOnce: number;
  /** The partitions that may be read. */
  readonly places: () => readonly RdkafkaPlace[];
  /** Whether what came is handed out, so that there is room for more. */
  readonly hasRoom: () => boolean;
  /** What one call has brought. */
  readonly came: (messages: readonly RdkafkaMessage[], ends: readonly RdkafkaOffset[]) => void;
  readonly failed: (error: RdkafkaError) => void;
}

/** Before it is known how large messages are. */
const FIRST = 16;
const WAIT_MS = 100;
/** What a message takes beside its value, about. */
const AROUND = 200;

/**
 * Calls the library again and again, one call at a time: it tells of rebalances only then. While nobody takes what came, the
 * partitions are paused and the calls bring nothing.
 */
export class Reader {
  private readonly handle: RdkafkaConsumerHandle;
  private readonly host: ReaderHost;
  private readonly stopping = new AbortController();
  private ends: RdkafkaOffset[] = [];
  private tasks: (() => Promise<void>)[] = [];
  private paused: readonly RdkafkaPlace[] = [];
  private atOnce: number;
  private room: () => void = () => {};
  private running: Promise<void> | undefined;

  constructor(handle: RdkafkaConsumerHandle, host: ReaderHost) {
    this.handle = handle;
    this.host = host;
    this.atOnce = Math.min(FIRST, host.mostAtOnce);
    handle.setDefaultConsumeTimeout(WAIT_MS);
    handle.on("partition.eof", (end: RdkafkaOffset) => this.ends.push(end));
  }

  start(): void {
    this.running = this.run();
  }

  /** There may be room again. */
  wake(): void {
    this.room();
  }

  /** Does something while no call is under way: what calls bring after it came after it. */
  between(task: () => Promise<void>): void {
    this.tasks.push(task);
    this.wake();
  }

  /** What was assigned before is not: nothing of it is paused. */
  forget(): void {
    this.paused = [];
  }

  /** Resolves when no call is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (!this.host.hasRoom() && this.tasks.length === 0) await this.untilRoom();
      for (const task of this.tasks.splice(0)) if (!signal.aborted) await task();
      if (signal.aborted) return;
      if (this.host.hasRoom()) this.resume();
      else this.pause();
      const { error, messages } = await this.call(this.paused.length > 0 ? 1 : this.atOnce);
      const ends = this.ends;
      this.ends = [];
      if (signal.aborted) return;
      this.measure(messages);
      if (error) this.host.failed(error);
      this.host.came(messages, ends);
    }
  }

  /** As many as fit the budget, by the size of those that came last. */
  private measure(messages: readonly RdkafkaMessage[]): void {
    if (messages.length === 0) return;
    const bytes = messages.reduce((sum, { value }) => sum + AROUND + (value?.length ?? 0), 0);
    const { budget, mostAtOnce } = this.host;
    this.atOnce = Math.max(1, Math.min(mostAtOnce, Math.floor((budget * messages.length) / bytes)));
  }

  private call(
    count: number,
  ): Promise<{ readonly error: RdkafkaError | null; readonly messages: readonly RdkafkaMessage[] }> {
    return new Promise((resolve) => {
      try {
        this.handle.consume(count, (error, messages) => resolve({ error, messages: messages ?? [] }));
      } catch (error) {
        resolve({ error: error as RdkafkaError, messages: [] });
      }
    });
  }

  /** Waits a moment for what came to be taken: pausing throws away what the library has read ahead. */
  private async untilRoom(): Promise<void> {
    const enough = new AbortController();
    const room = new Promise<void>((resolve) => {
      this.room = resolve;
    });
    await Promise.race([room, sleep(this.host.clock, 2 * WAIT_MS, enough.signal)]);
    enough.abort();
    this.room = () => {};
  }

  private pause(): void {
    if (this.paused.length > 0) return;
    const places = this.host.places();
    if (places.length === 0) return;
    this.handle.pause(places);
    this.paused = places;
  }

  /** Paused partitions go on, from where they were: before another place is sought in one of them. */
  resume(): void {
    if (this.paused.length === 0) return;
    const places = this.paused;
    this.paused = [];
    this.handle.resume(places);
  }
}
