import { ACK, type Consumer, type Disposition, type MiddlewareContext, scatter } from "@mqb/core/plugin";
import { failureText, type Transformer } from "./transformer.ts";

export type TransformContext = Pick<MiddlewareContext<unknown>, "accounting" | "log" | "route">;

/** Around a consumer: what is rejected is taken out of the batch and acked at the source, like what a filter drops. */
export function transformReceived(inner: Consumer, transformer: Transformer, context: TransformContext): Consumer {
  return {
    close: () => inner.close(),
    ...(inner.status ? { status: () => inner.status!() } : {}),
    async receive(max, signal) {
      const delivery = await inner.receive(max, signal);
      const { length } = delivery.batch;
      if (length === 0) return delivery;
      const { batch, kept, rejected, release: free } = transformer.run(delivery.batch);
      const release = (): void => {
        free();
        delivery.release?.();
      };
      if (!kept) return { batch, commit: (dispositions) => delivery.commit(dispositions), release };
      context.accounting.settle("filtered", rejected.length);
      const first = failureText(rejected[0]!.failure);
      context.log.warn(`${rejected.length} message(s) were rejected and dropped; the first one: ${first}`, {
        route: context.route,
      });
      return {
        batch,
        release,
        // Not "the source is empty".
        ...(batch.length === 0 ? { emptied: true } : {}),
        commit: (own) => delivery.commit(own && scatter<Disposition>(length, kept, own, ACK, ACK)),
      };
    },
  };
}
