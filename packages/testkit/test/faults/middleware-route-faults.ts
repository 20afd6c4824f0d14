import { ACK, type Delivery, type Disposition, NACK } from "@mqb/core/plugin";
import { type InputWrap, type OutputWrap, passConsumer, passPublisher } from "../support/middlewares.ts";
import type { MiddlewareFault, MiddlewareFaults } from "./middleware-fault.ts";

const none = undefined as never;

/** What a received batch becomes, and how it is committed. */
function receiving(change: (delivery: Delivery) => Delivery | Promise<Delivery>): InputWrap {
  return (inner) => ({
    ...passConsumer(inner, none),
    receive: async (max, signal) => change(await inner.receive(max, signal)),
  });
}

function committing(change: (dispositions: readonly Disposition[] | undefined, length: number) => Disposition[]) {
  return receiving((delivery) => ({
    ...delivery,
    commit: (given) => delivery.commit(change(given, delivery.batch.length)),
  }));
}

const losesFirst: OutputWrap = (inner) => ({
  ...passPublisher(inner, none),
  async send(batch, signal) {
    await inner.send(batch.select(Uint32Array.from({ length: batch.length - 1 }, (_, i) => i + 1)), signal);
    return undefined;
  },
});

const swallows: OutputWrap = (inner) => ({
  ...passPublisher(inner, none),
  async send(batch, signal) {
    await inner.send(batch, signal);
    return undefined;
  },
});

const answersEarly: OutputWrap = (inner) => ({
  ...passPublisher(inner, none),
  async send(batch, signal) {
    inner.send(batch, signal).catch(() => {});
    return undefined;
  },
});

const FAULTS: readonly [name: string, scenario: string, input: InputWrap, output: OutputWrap][] = [
  [
    "loses messages without a word",
    "every message arrives once and is acked",
    receiving((delivery) => ({ ...delivery, batch: delivery.batch.select(new Uint32Array(0)), emptied: true })),
    losesFirst,
  ],
  [
    "hides what the sink refuses, or never acks",
    "what is refused for good is lost alone, and counted",
    committing((_, length) => new Array<Disposition>(length).fill(NACK)),
    swallows,
  ],
  [
    "takes a failure for a success",
    "what fails for a time comes again until it arrives",
    committing((_, length) => new Array<Disposition>(length).fill(ACK)),
    swallows,
  ],
  [
    "says too early that it is done",
    "a stop in the middle acks nothing that has not arrived",
    receiving(async (delivery) => {
      await delivery.commit();
      return { ...delivery, commit: async () => {} };
    }),
    answersEarly,
  ],
];

export const routeFaults: MiddlewareFaults = Object.fromEntries(
  FAULTS.flatMap(([name, scenario, input, output]) =>
    [1, 8].flatMap((concurrency): [string, MiddlewareFault][] => [
      [
        `${name}, on an input with concurrency ${concurrency}`,
        { scenario: `on an input with concurrency ${concurrency}: ${scenario}`, input },
      ],
      [
        `${name}, on an output with concurrency ${concurrency}`,
        { scenario: `on an output with concurrency ${concurrency}: ${scenario}`, output },
      ],
    ]),
  ),
);
