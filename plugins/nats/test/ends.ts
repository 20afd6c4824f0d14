import {
  type Clock,
  type Consumer,
  type Delivery,
  type Disposition,
  type Publisher,
  systemClock,
} from "@mqb/core/plugin";
import { type FakeContext, type FakeContextOverrides, fakeContext, type RecordingLogger } from "@mqb/testkit";
import { nats } from "../src/endpoint.ts";
import type { NatsConfig, NatsOptions } from "../src/schema.ts";
import { natsSchema } from "../src/schema.ts";

type Overrides = FakeContextOverrides<Clock, RecordingLogger>;

/** Opens and closes ends of the endpoint as a route would, with the real clock. */
export class Ends implements AsyncDisposable {
  readonly context: FakeContext<Clock>;
  private readonly opened: { close(): Promise<void> }[] = [];

  constructor(overrides: Overrides = {}) {
    this.context = fakeContext<Clock>({ clock: systemClock, ...overrides });
  }

  async input(config: NatsOptions, more: Partial<FakeContext<Clock>> = {}): Promise<Consumer> {
    const consumer = await nats.input!.open(parsed(config), { ...this.context, side: "input", ...more });
    this.opened.push(consumer);
    return consumer;
  }

  async output(config: NatsOptions): Promise<Publisher> {
    const publisher = await nats.output!.open(parsed(config), { ...this.context, side: "output" });
    this.opened.push(publisher);
    return publisher;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.opened) await end.close();
  }
}

function parsed(config: NatsOptions): NatsConfig {
  return natsSchema.parse(config);
}

export const forever: AbortSignal = new AbortController().signal;

/** Receives until so many messages are there; with `decide` each delivery is committed. */
export async function take(
  consumer: Consumer,
  count: number,
  decide?: (text: string) => Disposition | undefined,
  max = 1024,
): Promise<{ readonly texts: string[]; readonly deliveries: Delivery[] }> {
  const texts: string[] = [];
  const deliveries: Delivery[] = [];
  const late = AbortSignal.timeout(20_000);
  while (texts.length < count) {
    const delivery = await consumer.receive(max, late);
    if (late.aborted) throw new Error(`${texts.length} of ${count} messages came: ${texts.join(", ")}`);
    deliveries.push(delivery);
    const found = Array.from(delivery.batch, (message) => message.text());
    texts.push(...found);
    if (decide) await delivery.commit(found.map((text) => decide(text) ?? { type: "ack" }));
  }
  return { texts, deliveries };
}

/** Whether nothing comes for so long. */
export async function isSilent(consumer: Consumer, ms: number): Promise<boolean> {
  const { batch } = await consumer.receive(10, AbortSignal.timeout(ms));
  return batch.length === 0;
}
