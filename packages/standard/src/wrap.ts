import type { Consumer, MessageBatch, Publisher } from "@mqb/core/plugin";

/** A consumer middleware: what `over` does not do is passed on to the inner one. */
export function wrapConsumer(inner: Consumer, over: Pick<Consumer, "receive"> & Partial<Consumer>): Consumer {
  return {
    close: () => inner.close(),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    ...over,
  };
}

/**
 * A publisher middleware: what `over` does not do is passed on to the inner one, also `willSend`. One that sends other batches
 * than it gets takes that upon itself.
 */
export function wrapPublisher(inner: Publisher, over: Pick<Publisher, "send"> & Partial<Publisher>): Publisher {
  return {
    close: () => inner.close(),
    ...(inner.willSend ? { willSend: (batch: MessageBatch) => inner.willSend!(batch) } : {}),
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    ...over,
  };
}
