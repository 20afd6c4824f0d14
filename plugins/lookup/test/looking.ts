import { ACCEPTED, batchOf, Message, type MessageBatch, type Outcome, type Publisher, replied } from "@mqb/core/plugin";
import { CollectingPublisher, type FakeContext, fakeContext, fakePlugin, slabOf } from "@mqb/testkit";
import { lookupSchema } from "../src/config.ts";
import type { LookupConfig } from "../src/index.ts";
import plugin from "../src/index.ts";

export const never = new AbortController().signal;

/** What a request is answered with: a payload, a whole message, an outcome; undefined = it is only acknowledged. */
export type Reply = string | Message | Outcome | undefined;

/** An endpoint that is asked. Answers at once, unless it is held. */
export class Asked implements Publisher {
  /** Every batch of requests, in order. */
  readonly sends: MessageBatch[] = [];
  inFlight = 0;
  maxInFlight = 0;
  closes = 0;
  flushes = 0;
  answer: (request: Message) => Reply;
  private gate: Promise<void> | undefined;
  private open: (() => void) | undefined;
  private readonly waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(answer: (request: Message) => Reply) {
    this.answer = answer;
  }

  get requests(): Message[] {
    return this.sends.flatMap((batch) => [...batch]);
  }

  get texts(): string[] {
    return this.requests.map((request) => request.text());
  }

  /** From now on nothing is answered until `release`. */
  hold(): void {
    this.gate = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  release(): void {
    this.open?.();
    this.gate = undefined;
  }

  /** Resolves when there were so many sends. */
  sent(count: number): Promise<void> {
    if (this.sends.length >= count) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push({ count, resolve }));
  }

  async send(batch: MessageBatch): Promise<readonly Outcome[] | undefined> {
    this.sends.push(batch);
    this.maxInFlight = Math.max(this.maxInFlight, ++this.inFlight);
    for (const { count, resolve } of this.waiters) if (this.sends.length >= count) resolve();
    await this.gate;
    this.inFlight--;
    return Array.from(batch, (request) => outcomeOf(this.answer(request)));
  }

  async flush(): Promise<void> {
    this.flushes++;
  }

  async close(): Promise<void> {
    this.closes++;
  }
}

function outcomeOf(reply: Reply): Outcome {
  if (reply === undefined) return ACCEPTED;
  if (typeof reply === "string") return replied(new Message(reply));
  return reply instanceof Message ? replied(reply) : reply;
}

export interface Opened {
  readonly publisher: Publisher;
  readonly sink: CollectingPublisher;
  readonly context: FakeContext;
}

/** Endpoints by the key that the configuration has for them: `{ asked: {} }`. */
export type Endpoints = Readonly<Record<string, Publisher>>;

export function contextWith(endpoints: Endpoints): FakeContext {
  const fakes = Object.entries(endpoints).map(([name, publisher]) => [name, { publisher }] as const);
  return fakeContext({ path: "output.middlewares[0].lookup", plugins: [fakePlugin(Object.fromEntries(fakes))] });
}

export async function openOutput(
  config: Written,
  endpoints: Endpoints,
  context = contextWith(endpoints),
): Promise<Opened> {
  const sink = new CollectingPublisher();
  const publisher = await plugin.middlewares!["lookup"]!.output!(sink, lookupSchema.parse(config), context);
  return { publisher, sink, context };
}

/** Endpoints of a test have no types. */
export type Written = Omit<LookupConfig, "from" | "entries"> & {
  readonly from?: unknown;
  readonly entries?: readonly unknown[];
};

export const ASKED = { from: { asked: {} }, into: "user" };

export function batch(...payloads: readonly (string | Message)[]): MessageBatch {
  return batchOf(payloads.map((one) => (typeof one === "string" ? new Message(one) : one)));
}

export function lines(...payloads: readonly string[]): MessageBatch {
  return slabOf(payloads.map((one) => new Message(one)));
}

/** What reached the sink of one batch with these payloads. */
export async function enriched(config: Written, asked: Publisher, ...payloads: string[]): Promise<string[]> {
  const { publisher, sink } = await openOutput(config, { asked });
  await publisher.send(lines(...payloads), never);
  return sink.messages.map((message) => message.text());
}
