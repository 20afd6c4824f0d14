import { sleep } from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import { partitionKey } from "../wire/produce.ts";
import type { Assigned } from "./assigned.ts";
import { findBeginnings } from "./beginnings.ts";
import type { Commits } from "./commits.ts";
import type { Joined, Turn } from "./group.ts";
import type { Membership } from "./membership.ts";
import type { Place } from "./offsets.ts";
import { Partition } from "./partition.ts";
import type { Remembered } from "./remembered.ts";
import { type ConsumerSettings, resetOf } from "./settings.ts";

export interface GenerationsHost {
  readonly client: KafkaClient;
  readonly settings: ConsumerSettings;
  readonly draining: boolean;
  readonly membership: Membership;
  readonly assigned: Assigned;
  readonly commits: Commits;
  /** Where a subscriber keeps its positions; undefined for a member of a group. */
  readonly remembered: Remembered | undefined;
  /** Ends everything that waits. */
  readonly signal: AbortSignal;
  /** Whether the input has failed, or is closed. */
  readonly isOver: () => boolean;
  /** There is an assignment: what it holds may be read. */
  readonly began: () => void;
  /** The group shares out anew: nothing is handed out until `began`. */
  readonly ended: () => void;
}

const LEAVE_LIMIT_MS = 1000;
/** How long a rebalance waits for deliveries that are on their way. */
const SETTLE_LIMIT_MS = 20_000;

/** One generation of the group after the other: which partitions are read, and what is settled before they are shared out anew. */
export class Generations {
  hasJoined = false;
  rebalances = 0;
  private readonly host: GenerationsHost;
  private wakeSettle: (() => void) | undefined;

  constructor(host: GenerationsHost) {
    this.host = host;
  }

  /** Resolves when the input is over. Rejects with what keeps it from its group. */
  async run(): Promise<void> {
    const { membership, settings, draining, isOver } = this.host;
    while (!isOver()) {
      const isFirst = draining && !this.hasJoined;
      const joined = await membership.join(isFirst ? settings.drainJoinMs : undefined);
      if (isOver()) return;
      await this.assign(joined);
      if (isOver()) return;
      const turn = await membership.untilTurn();
      if (isOver()) return;
      this.rebalances += 1;
      this.host.ended();
      await this.end(turn);
    }
  }

  /** Of a generation that is over for this member nothing is committed any more. */
  turned(turn: Turn): void {
    if (turn === "lost") this.host.assigned.loseAll();
    this.wake();
  }

  /** Something that was on its way is settled, or nobody waits for it any more. */
  wake(): void {
    this.wakeSettle?.();
  }

  private async assign({ assignment, goesOn }: Joined): Promise<void> {
    const { assigned, isOver, began, commits } = this.host;
    const places: Place[] = [];
    const kept = new Set<string>();
    for (const [topic, numbers] of assignment) {
      for (const number of numbers) {
        const key = partitionKey(topic, number);
        if (goesOn && assigned.partitions.has(key)) kept.add(key);
        else places.push({ topic, partition: number });
      }
    }
    for (const partition of [...assigned.partitions.values()]) if (!kept.has(partition.key)) assigned.lose(partition);
    await this.add(places);
    if (isOver()) return;
    this.hasJoined = true;
    began();
    commits.resume();
  }

  /** New partitions, each with the position at which reading begins. */
  private async add(places: readonly Place[]): Promise<void> {
    if (places.length === 0) return;
    const { client, settings, draining, signal, assigned, remembered, commits } = this.host;
    const reset = resetOf(settings);
    const beginnings = await findBeginnings(client, places, {
      groupId: settings.groupId,
      reset,
      known: remembered?.positions,
      readsCommitted: settings.options.readsCommitted,
      withEnds: draining,
      signal,
    });
    if (this.host.isOver()) return;
    for (const { topic, partition: number, position, end, isNew } of beginnings) {
      const partition = new Partition(topic, number, position, assigned.lostOne(partitionKey(topic, number)));
      partition.end = end;
      assigned.add(partition);
      if (remembered) remembered.keep(partition);
      else if (isNew && reset === "latest") {
        // What comes before the first commit would be skipped by the next start.
        partition.committed = -1;
        commits.add(partition);
      }
    }
  }

  private async end(turn: Turn): Promise<void> {
    const { commits, membership } = this.host;
    try {
      if (turn === "lost") return;
      await this.settleInFlight();
      await commits.flush(LEAVE_LIMIT_MS);
    } finally {
      membership.stopBeating();
      commits.hold();
    }
  }

  private async settleInFlight(): Promise<void> {
    const { client, settings, assigned, isOver } = this.host;
    const enough = new AbortController();
    const limitMs = Math.min(SETTLE_LIMIT_MS, settings.options.rebalanceTimeoutMs / 2);
    let isLate = false;
    void sleep(client.clock, limitMs, enough.signal).then((isFull) => {
      isLate = isFull;
      this.wake();
    });
    while (assigned.isBusy && !isLate && !isOver()) {
      await new Promise<void>((resolve) => {
        this.wakeSettle = resolve;
      });
    }
    this.wakeSettle = undefined;
    enough.abort();
  }
}
