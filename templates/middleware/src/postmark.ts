import {
  ACCEPTED,
  ACK,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  FILTERED,
  type MessageBatch,
  type Metadata,
  type OpenContext,
  type Outcome,
  type Publisher,
  scatter,
  slabBatch,
} from "@mqb/core/plugin";
import type { PostmarkConfig } from "./config.ts";

/** Around a consumer: what is dropped counts as acked at the source. */
export function markReceived(inner: Consumer, config: PostmarkConfig, { accounting }: OpenContext): Consumer {
  return {
    ...passOn(inner),
    async receive(max, signal) {
      const delivery = await inner.receive(max, signal);
      const kept = passing(delivery.batch, config);
      if (kept === undefined) return withBatch(delivery, mark(delivery.batch, config));
      accounting.settle("filtered", delivery.batch.length - kept.length);
      return without(delivery, kept, config);
    },
  };
}

/** Around a publisher: what is dropped is reported as filtered, by its position. */
export function markSent(inner: Publisher, config: PostmarkConfig): Publisher {
  return {
    ...passOn(inner),
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    async send(batch, signal) {
      const kept = passing(batch, config);
      if (kept === undefined) return inner.send(mark(batch, config), signal);
      const outcomes = kept.length > 0 ? await inner.send(mark(batch.select(kept), config), signal) : undefined;
      return scatter<Outcome>(batch.length, kept, outcomes, ACCEPTED, FILTERED);
    },
  };
}

/** The positions of the messages that go on, or undefined when all do. */
function passing(batch: MessageBatch, { mark, key, once }: PostmarkConfig): Uint32Array | undefined {
  if (!once) return undefined;
  const kept: number[] = [];
  for (let i = 0; i < batch.length; i++) if (batch.metadata(i).get(key) !== mark) kept.push(i);
  return kept.length === batch.length ? undefined : Uint32Array.from(kept);
}

/** Makes no message and copies no payload: what is only passed on stays bytes. */
function mark(batch: MessageBatch, { mark, key }: PostmarkConfig): MessageBatch {
  const marked = (metadata: Metadata | undefined) => new Map(metadata).set(key, mark);
  if (!batch.slab) {
    return batchOf(
      Array.from(batch, (message) => message.with({ metadata: [[key, mark]] })),
      marked(batch.shared),
    );
  }
  const fields = { id: (i: number) => batch.id(i), metadata: (i: number) => marked(batch.metadata(i)) };
  return slabBatch(batch.slab, fields, marked(batch.shared));
}

/** A delivery may be of a class: its `commit` is called on it, and nothing is copied off it. */
function withBatch(delivery: Delivery, batch: MessageBatch): Delivery {
  const { emptied } = delivery;
  return { batch, ...(emptied ? { emptied } : {}), commit: (dispositions) => delivery.commit(dispositions) };
}

function without(delivery: Delivery, kept: Uint32Array, config: PostmarkConfig): Delivery {
  const { batch } = delivery;
  return {
    batch: mark(batch.select(kept), config),
    // Not "the source is empty": the route commits this one too and reads on.
    ...(kept.length === 0 ? { emptied: true } : {}),
    commit: (dispositions) =>
      delivery.commit(dispositions && scatter<Disposition>(batch.length, kept, dispositions, ACK, ACK)),
  };
}

function passOn<T extends Consumer | Publisher>(inner: T) {
  return {
    close: () => inner.close(),
    ...(inner.status ? { status: () => inner.status!() } : {}),
  };
}
