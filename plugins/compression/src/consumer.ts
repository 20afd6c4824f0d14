import type { Consumer, Delivery, EndpointStatus, OpenContext } from "@mqb/core/plugin";
import { type DecompressSettings, Portions } from "./portions.ts";

/**
 * Around a consumer: hands out what it gives with decompressed payloads. A batch that unfolds far is handed out in portions,
 * so that its size in memory depends on the limits and not on what somebody has sent.
 */
export class DecompressingConsumer implements Consumer {
  readonly status?: () => EndpointStatus;
  private readonly inner: Consumer;
  private readonly settings: DecompressSettings;
  private readonly context: Pick<OpenContext, "accounting" | "log" | "route">;
  /** A delivery of which not everything is handed out. */
  private rest: Portions | undefined;

  constructor(
    inner: Consumer,
    settings: DecompressSettings,
    context: Pick<OpenContext, "accounting" | "log" | "route">,
  ) {
    this.inner = inner;
    this.settings = settings;
    this.context = context;
    if (inner.status) this.status = () => inner.status!();
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    let { rest } = this;
    if (!rest) {
      const delivery = await this.inner.receive(max, signal);
      if (delivery.batch.length === 0) return delivery;
      rest = new Portions(delivery, this.settings, this.context);
    }
    const portion = rest.next(max);
    this.rest = rest.left > 0 ? rest : undefined;
    return portion;
  }

  async close(): Promise<void> {
    const { rest } = this;
    this.rest = undefined;
    try {
      await rest?.giveBack();
    } finally {
      await this.inner.close();
    }
  }
}
