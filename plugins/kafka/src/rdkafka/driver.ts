import type { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import { kafkaErrors } from "../errors.ts";

/** What this package uses of node-rdkafka, which brings no types that suit. */
export interface Rdkafka {
  readonly features: readonly string[];
  readonly librdkafkaVersion: string;
  readonly KafkaConsumer: new (settings: RdkafkaSettings, topic: RdkafkaSettings) => RdkafkaConsumerHandle;
  readonly Producer: new (settings: RdkafkaSettings, topic: RdkafkaSettings) => RdkafkaProducerHandle;
}

export type RdkafkaSettings = Readonly<Record<string, unknown>>;

export interface RdkafkaError extends Error {
  /** Below zero = found by the library itself. */
  readonly code: number;
  readonly isFatal?: boolean;
}

export interface RdkafkaPlace {
  readonly topic: string;
  readonly partition: number;
}

export interface RdkafkaOffset extends RdkafkaPlace {
  readonly offset: number;
}

export interface RdkafkaMessage extends RdkafkaOffset {
  readonly value: Buffer | null;
  readonly key?: Buffer | null;
  readonly headers?: readonly Readonly<Record<string, Buffer>>[];
}

type Callback = (error?: RdkafkaError | null) => void;

interface Handle extends EventEmitter {
  connect(options: { readonly timeout: number; readonly topic?: string }, done: Callback): void;
  disconnect(done: Callback): void;
  isConnected(): boolean;
}

export interface RdkafkaConsumerHandle extends Handle {
  setDefaultConsumeTimeout(ms: number): void;
  subscribe(topics: readonly string[]): void;
  unsubscribe(): void;
  consume(count: number, done: (error: RdkafkaError | null, messages: readonly RdkafkaMessage[]) => void): void;
  assign(offsets: readonly RdkafkaOffset[]): void;
  unassign(): void;
  pause(places: readonly RdkafkaPlace[]): void;
  resume(places: readonly RdkafkaPlace[]): void;
  seek(offset: RdkafkaOffset, timeoutMs: number, done: Callback): void;
  commit(offsets: readonly RdkafkaOffset[]): void;
}

export interface RdkafkaProducerHandle extends Handle {
  produce(
    topic: string,
    partition: number,
    value: Buffer | null,
    key: Buffer | null,
    timestamp: number | undefined,
    opaque: unknown,
    headers: readonly Readonly<Record<string, string>>[],
  ): void;
  poll(): void;
  flush(timeoutMs: number, done: Callback): void;
  /** As `disconnect`, without waiting for what is not written. */
  _disconnect(done: Callback): void;
}

/** Loads node-rdkafka, which nobody gets who has not installed it. Called when an endpoint opens, not before. */
export function loadRdkafka(): Rdkafka {
  try {
    return createRequire(import.meta.url)("node-rdkafka") as Rdkafka;
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND"
      ? kafkaErrors.NO_ENGINE({}, { cause })
      : kafkaErrors.ENGINE_BROKEN({ reason: (cause as Error).message }, { cause });
  }
}

/** Numbers of the library's own errors. */
export const RD = {
  BAD_MSG: -199,
  BAD_COMPRESSION: -198,
  MSG_TIMED_OUT: -192,
  ASSIGN: -175,
  NOT_IMPLEMENTED: -170,
  NO_OFFSET: -168,
  AUTO_OFFSET_RESET: -140,
} as const;
