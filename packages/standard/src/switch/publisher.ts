import {
  ACCEPTED,
  type Clock,
  type EndpointStatus,
  FILTERED,
  failed,
  type Logger,
  type MessageBatch,
  type Outcome,
  type Publisher,
} from "@mqb/core/plugin";
import { closeAll, flushAll, statusOf } from "../structural/ends.ts";
import { type Part, sendParts } from "../structural/send-parts.ts";
import { divide } from "./divide.ts";
import { NOWHERE, type Routed, type Router } from "./router.ts";

export interface SwitchSetup {
  readonly router: Router;
  /** By their paths, in the order of the router. */
  readonly destinations: ReadonlyMap<string, Publisher>;
  readonly route: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The close is the end of everything that there was. */
  readonly draining: boolean;
}

type Split = Exclude<Routed, { readonly all: number }>;

/** Divides each batch by destination and sends the parts at the same time, each in the order of the batch. */
export class SwitchPublisher implements Publisher {
  private readonly setup: SwitchSetup;
  private readonly paths: readonly string[];
  private readonly publishers: readonly Publisher[];
  private unmatched = 0;
  private sayAt = 1;
  private closed = false;

  constructor(setup: SwitchSetup) {
    this.setup = setup;
    this.paths = [...setup.destinations.keys()];
    this.publishers = [...setup.destinations.values()];
  }

  async send(batch: MessageBatch, signal: AbortSignal): Promise<readonly Outcome[] | undefined> {
    const routed = this.setup.router.route(batch);
    if (!("all" in routed)) return this.sendEach(batch, routed, signal);
    if (routed.all !== NOWHERE) return this.publishers[routed.all]!.send(batch, signal);
    this.drop(batch.length);
    return new Array<Outcome>(batch.length).fill(FILTERED);
  }

  flush(): Promise<void> {
    return flushAll(this.publishers);
  }

  close(): Promise<void> {
    const { router, draining, log, route } = this.setup;
    if (draining && !this.closed) {
      for (const line of router.neverTrue()) log.warn(`switch: ${line}; is a name misspelt?`, { route });
    }
    this.closed = true;
    return closeAll(this.publishers);
  }

  status(): EndpointStatus {
    return statusOf("switch", this.setup.destinations, { unmatched: this.unmatched });
  }

  private async sendEach(batch: MessageBatch, { each, failed: unread = [] }: Split, signal: AbortSignal) {
    const divided = divide(each, this.publishers.length);
    const whole = divided.findIndex((positions) => positions.length === batch.length);
    if (whole >= 0) return this.publishers[whole]!.send(batch, signal);
    const used = divided.flatMap((positions, index) => (positions.length > 0 ? [{ positions, index }] : []));
    const parts = used.map(
      ({ positions, index }): Part => ({
        publisher: this.publishers[index]!,
        path: this.paths[index]!,
        batch: batch.select(positions),
      }),
    );
    const sent = used.reduce((sum, { positions }) => sum + positions.length, 0);
    this.drop(batch.length - sent - unread.length);
    const results = await sendParts(parts, signal, this.setup.clock);
    if (sent === batch.length && results.every((one) => one === undefined)) return undefined;
    const outcomes = new Array<Outcome>(batch.length).fill(FILTERED);
    for (const { index, error } of unread) outcomes[index] = failed(error);
    used.forEach(({ positions }, part) => {
      const result = results[part];
      for (let i = 0; i < positions.length; i++) outcomes[positions[i]!] = result ? result[i]! : ACCEPTED;
    });
    return outcomes;
  }

  /** Says so at the first message and each time that there are ten times as many. */
  private drop(count: number): void {
    if (count === 0) return;
    this.unmatched += count;
    if (this.unmatched < this.sayAt) return;
    while (this.sayAt <= this.unmatched) this.sayAt *= 10;
    const { log, route } = this.setup;
    log.warn(
      `the switch has dropped ${this.unmatched} message(s) that match no case and have no \`default\` to go to`,
      { route },
    );
  }
}
