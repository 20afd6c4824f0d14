import type { Disposition, OpenContext } from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import type { Assigned } from "./assigned.ts";
import type { Commits } from "./commits.ts";
import type { KafkaDelivery } from "./delivery.ts";
import type { Remembered } from "./remembered.ts";
import { Replier, type Reply } from "./replies.ts";

export interface SettlerHost {
  readonly client: KafkaClient;
  readonly context: Pick<OpenContext, "log" | "route">;
  readonly assigned: Assigned;
  readonly commits: Commits;
  /** Where a subscriber keeps its positions; undefined for a member of a group. */
  readonly remembered: Remembered | undefined;
  /** Why nothing can be settled any more. */
  readonly failure: () => { readonly error: unknown } | undefined;
  readonly failed: (error: unknown) => void;
  /** Nothing of a partition is on its way any more. */
  readonly emptied: () => void;
}

const DONE: Promise<void> = Promise.resolve();

/** What becomes of deliveries: positions go forward to the first message that is given back, answers go where they are wanted. */
export class Settler {
  /** Commits that came after their partition had gone to somebody else. */
  lateCommits = 0;
  private readonly host: SettlerHost;
  private replier: Replier | undefined;

  constructor(host: SettlerHost) {
    this.host = host;
  }

  /** Called once by each delivery, in the order of receipt. */
  settle(delivery: KafkaDelivery, dispositions: readonly Disposition[] | undefined): Promise<void> {
    const { host } = this;
    const replies = dispositions ? this.repliesIn(delivery, dispositions) : [];
    if (replies.length > 0) {
      this.replier ??= new Replier(host.client, host.context.log, host.context.route);
      return this.replier.send(replies).then(
        () => this.advance(delivery, dispositions),
        (error: unknown) => {
          host.failed(error);
          throw error;
        },
      );
    }
    this.advance(delivery, dispositions);
    const failure = host.failure();
    return failure ? Promise.reject(failure.error) : DONE;
  }

  private advance(delivery: KafkaDelivery, dispositions: readonly Disposition[] | undefined): void {
    const { assigned, commits, remembered, context } = this.host;
    const { partition, epoch, offsets, next } = delivery;
    partition.open.splice(partition.open.indexOf(delivery), 1);
    const nacked = dispositions ? dispositions.findIndex(({ type }) => type === "nack") : -1;
    if (partition.isLost) {
      // Whoever has the partition now reads these messages again: nothing is lost, and nothing may be said about it.
      this.lateCommits += 1;
      const { log, route } = context;
      log.debug(`a commit for partition ${partition.number} of "${partition.topic}" came after it was lost`, { route });
      if (partition.handed === 0) assigned.forget(partition);
    } else if (epoch === partition.epoch) {
      // What is behind a nack is read again, whatever became of it.
      partition.settled = nacked < 0 ? next : offsets[nacked]!;
      // Markers at the end of what was read have nobody else to settle them.
      if (nacked < 0 && partition.handed === 0 && !partition.hasRecords) partition.settled = partition.position;
      if (nacked >= 0) partition.rewind(partition.settled);
      if (remembered) remembered.keep(partition);
      else if (partition.settled > partition.committed) commits.add(partition);
    }
    if (partition.handed === 0) this.host.emptied();
  }

  private repliesIn({ batch }: KafkaDelivery, dispositions: readonly Disposition[]): Reply[] {
    if (this.host.remembered) return [];
    const replies: Reply[] = [];
    for (const [i, disposition] of dispositions.entries()) {
      if (disposition.type === "reply") replies.push({ request: batch.metadata(i), message: disposition.message });
    }
    return replies;
  }
}
