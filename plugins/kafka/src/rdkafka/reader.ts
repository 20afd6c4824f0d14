import { type Clock, sleep } from "@mqb/core/plugin";
import type { RdkafkaConsumerHandle, RdkafkaError, RdkafkaMessage, RdkafkaOffset, RdkafkaPlace } from "./driver.ts";

export interface ReaderHost {
  readonly clock: Clock;
  /** The partitions that may be read. */
  readonly places: () => readonly RdkafkaPlace[];
  /** Whether what came is handed out, so that there is room for more. */
  readonly hasRoom: () => boolean;
  /** What one call has brought. `number` counts the calls. */
  readonly came: (number: number, messages: readonly RdkafkaMessage[], ends: readonly RdkafkaOffset[]) => void;
  readonly failed: (error: RdkafkaError) => void;
}

const AT_ONCE = 1000;
const WAIT_MS = 100;

/**
 * Calls the library again and again, one call at a time: it tells of rebalances only then. While nobody takes what came, the
 * partitions are paused and the calls bring nothing.
 */
export class Reader {
  /** The number of the call that is made next. */
  next = 0;
  private readonly handle: RdkafkaConsumerHandle;
  private readonly host: ReaderHost;
  private readonly stopping = new AbortController();
  private ends: RdkafkaOffset[] = [];
  private paused: readonly RdkafkaPlace[] = [];
  private room: () => void = () => {};
  private running: Promise<void> | undefined;

  constructor(handle: RdkafkaConsumerHandle, host: ReaderHost) {
    this.handle = handle;
    this.host = host;
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
      if (!this.host.hasRoom()) await this.untilRoom();
      if (signal.aborted) return;
      if (this.host.hasRoom()) this.resume();
      else this.pause();
      const number = this.next++;
      const { error, messages } = await this.call(this.paused.length > 0 ? 1 : AT_ONCE);
      const ends = this.ends;
      this.ends = [];
      if (signal.aborted) return;
      if (error) this.host.failed(error);
      this.host.came(number, messages, ends);
    }
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

  private resume(): void {
    if (this.paused.length === 0) return;
    const places = this.paused;
    this.paused = [];
    this.handle.resume(places);
  }
}
