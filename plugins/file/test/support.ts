import { closeSync, openSync, writeSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import type { Consumer, Delivery, Message, MessageBatch, OpenContext, Outcome, Publisher } from "@mqb/core/plugin";
import { batchOf } from "@mqb/core/plugin";
import { CHUNK_HEADROOM, giveBackKernelBuffer, takeKernelBuffer } from "@mqb/formats";
import {
  type FakeClock,
  type FakeContext,
  type FakeContextOverrides,
  fakeContext,
  type RecordingLogger,
  TempDir,
} from "@mqb/testkit";
import { type FileOptions, fileConfig } from "../src/config.ts";
import { file } from "../src/index.ts";

const NEVER = new AbortController().signal;

/** A folder with a file, and what opens sources and sinks in it. Everything is closed and removed with it. */
export class Workbench implements AsyncDisposable {
  readonly dir: TempDir;
  private readonly opened: { close(): Promise<void> }[] = [];

  private constructor(dir: TempDir) {
    this.dir = dir;
  }

  static async make(): Promise<Workbench> {
    return new Workbench(await TempDir.make());
  }

  context(overrides: FakeContextOverrides<FakeClock, RecordingLogger> = {}): FakeContext {
    return fakeContext({ baseDir: this.dir.path, ...overrides });
  }

  async source(config: FileOptions, context: OpenContext = this.context({ draining: true })): Promise<Source> {
    const consumer = await file.input!.open(fileConfig.parse(config), context);
    this.opened.push(consumer);
    return new Source(consumer, context);
  }

  async sink(
    config: FileOptions,
    context: OpenContext = this.context({ side: "output", path: "output" }),
  ): Promise<Sink> {
    const publisher = await file.output!.open(fileConfig.parse(config), context);
    this.opened.push(publisher);
    return new Sink(publisher);
  }

  append(name: string, content: string | Uint8Array): Promise<void> {
    return appendFile(this.dir.file(name), content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.opened) await one.close();
    await this.dir.remove();
  }
}

export class Source {
  readonly consumer: Consumer;
  private readonly context: OpenContext;

  constructor(consumer: Consumer, context: OpenContext) {
    this.consumer = consumer;
    this.context = context;
  }

  /** The next delivery; a fake clock is moved on as long as the source waits. */
  receive(max = 100, signal: AbortSignal = NEVER): Promise<Delivery> {
    const receiving = this.consumer.receive(max, signal);
    const clock = this.context.clock as Partial<FakeClock>;
    return clock.runUntil ? clock.runUntil(receiving) : receiving;
  }

  /** Payloads of the next delivery, which is acked. */
  async take(max = 100): Promise<string[]> {
    const delivery = await this.receive(max);
    await delivery.commit();
    return texts(delivery.batch);
  }

  /** Payloads of everything up to the first empty delivery, all acked. */
  async drain(max = 100): Promise<string[]> {
    const all: string[] = [];
    for (;;) {
      const some = await this.take(max);
      if (some.length === 0) return all;
      all.push(...some);
    }
  }

  close(): Promise<void> {
    return this.consumer.close();
  }
}

export class Sink {
  readonly publisher: Publisher;

  constructor(publisher: Publisher) {
    this.publisher = publisher;
  }

  send(...messages: readonly Message[]): Promise<readonly Outcome[] | undefined> {
    return this.publisher.send(batchOf(messages), NEVER);
  }

  close(): Promise<void> {
    return this.publisher.close();
  }
}

export function texts(batch: MessageBatch): string[] {
  return Array.from(batch, (message) => message.text());
}

/** How many buffers the kernel could lend. */
export function freeKernelBuffers(): number {
  const taken: Buffer[] = [];
  const take = (): Buffer | undefined => takeKernelBuffer(1024 * 1024 + CHUNK_HEADROOM);
  for (let bytes = take(); bytes; bytes = take()) taken.push(bytes);
  for (const bytes of taken) giveBackKernelBuffer(bytes);
  return taken.length;
}

/** Lines `from` to `to`, without `to`. */
export function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, n) => `line ${from + n}\n`).join("");
}

/** A writer that keeps the file open. */
export class OpenToAppend implements Disposable {
  private readonly fd: number;

  constructor(path: string) {
    this.fd = openSync(path, "a");
  }

  append(text: string): void {
    writeSync(this.fd, text);
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}
