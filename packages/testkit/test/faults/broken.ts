import {
  ACCEPTED,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  failed,
  type Message,
  MqbError,
  type Publisher,
} from "@mqb/core/plugin";
import type { ConnectorFixture } from "../../src/index.ts";
import type { Fault, QueueConfig } from "../support/queue-connector.ts";

/** A connector with one fault, and the scenario that has to find it. */
export interface Broken {
  /** The scenario that has to find the fault; a part of its name. */
  readonly scenario: string;
  /** What the fault is in [queue]. */
  readonly in?: "queue" | "log";
  readonly fault: Fault;
  readonly config?: Partial<QueueConfig>;
  readonly fixture?: Partial<ConnectorFixture>;
}

/** By what is wrong with it. */
export type Faults = Readonly<Record<string, Broken>>;

/** Changes every message that is received. */
export const changing =
  (change: (message: Message) => Message) =>
  (inner: Consumer): Consumer => ({
    ...source(inner),
    async receive(max, signal) {
      const { batch, commit } = await inner.receive(max, signal);
      return { batch: batchOf(Array.from(batch, change)), commit };
    },
  });

/** Changes what a commit does. */
export const committing =
  (
    change: (
      commit: Delivery["commit"],
      dispositions: readonly Disposition[] | undefined,
      length: number,
    ) => Promise<void>,
  ) =>
  (inner: Consumer): Consumer => ({
    ...source(inner),
    async receive(max, signal) {
      const { batch, commit } = await inner.receive(max, signal);
      return { batch, commit: (dispositions) => change(commit, dispositions, batch.length) };
    },
  });

export const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The methods of an end, to replace some of them. */
export function source(
  inner: Consumer,
): Consumer & { status(): NonNullable<ReturnType<NonNullable<Consumer["status"]>>> } {
  return {
    receive: (max, signal) => inner.receive(max, signal),
    close: () => inner.close(),
    status: () => inner.status!(),
  };
}

export function sink(inner: Publisher): Publisher {
  return {
    send: (batch, signal) => inner.send(batch, signal),
    flush: async () => inner.flush?.(),
    close: () => inner.close(),
    status: () => inner.status!(),
  };
}

/** A sink that refuses certain messages with an error of this kind. */
export function refusing(kind: "retryable" | "permanent", bad: (message: Message) => boolean): Fault {
  return {
    publisher: (inner) => ({
      ...sink(inner),
      async send(batch, signal) {
        const good = Uint32Array.from(Array.from(batch, (m, i) => (bad(m) ? -1 : i)).filter((i) => i >= 0));
        await inner.send(batch.select(good), signal);
        return Array.from(batch, (m) => (bad(m) ? failed(new MqbError("MQB_TEST", kind, "too large")) : ACCEPTED));
      },
    }),
  };
}
