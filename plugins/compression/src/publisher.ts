import { fieldsFrom, type Publisher, slabBatch } from "@mqb/core/plugin";
import { type PayloadCodec, payloadsOf } from "@mqb/formats";

/** Around a publisher: sends the same messages with compressed payloads. */
export function compressSent(inner: Publisher, codec: PayloadCodec): Publisher {
  return {
    close: () => inner.close(),
    ...(inner.flush ? { flush: () => inner.flush!() } : {}),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    async send(batch, signal) {
      if (batch.length === 0) return inner.send(batch, signal);
      const { bytes, starts, ends } = await codec.compress(payloadsOf(batch));
      return inner.send(slabBatch({ bytes, starts, ends }, fieldsFrom(batch), batch.shared), signal);
    },
  };
}
