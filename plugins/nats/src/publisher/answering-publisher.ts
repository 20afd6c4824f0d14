import type { EndpointStatus, MessageBatch, Outcome, Publisher, Shared } from "@mqb/core/plugin";
import type { Connection } from "../client/connection.ts";
import type { WithheldMetadata } from "../wire/withheld.ts";
import type { Exchange } from "./exchange.ts";

/** Sends what is answered: to a stream that acknowledges, or to somebody who replies. */
export class AnsweringPublisher implements Publisher {
  private readonly held: Shared<Connection>;
  private readonly exchange: Exchange;
  private readonly withheld: WithheldMetadata;
  private readonly subject: string;
  private closing: Promise<void> | undefined;

  constructor(held: Shared<Connection>, exchange: Exchange, withheld: WithheldMetadata, subject: string) {
    this.held = held;
    this.exchange = exchange;
    this.withheld = withheld;
    this.subject = subject;
  }

  send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    return this.exchange.send(batch, signal);
  }

  close(): Promise<void> {
    this.closing ??= (async () => {
      this.exchange.close();
      await this.held.release();
    })();
    return this.closing;
  }

  status(): EndpointStatus {
    return publisherStatus(this.held.value, this.subject, this.exchange.inFlight, this.withheld.count);
  }
}

export function publisherStatus(
  { end, target }: Connection,
  subject: string,
  pending: number,
  withheld: number,
  details: Readonly<Record<string, unknown>> = {},
): EndpointStatus {
  return {
    healthy: end === undefined,
    target: `${target} ${subject}`,
    pending,
    ...(end ? { error: end.message } : {}),
    ...(withheld > 0 ? { details: { ...details, withheldMetadata: withheld } } : { details }),
  };
}
