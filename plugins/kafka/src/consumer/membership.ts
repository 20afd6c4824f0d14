import { sleep } from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import { findTopicAgain } from "../client/topic.ts";
import { kafkaErrors } from "../errors.ts";
import type { ConsumerOptions } from "../options/consumer.ts";
import { GroupMember, type Joined, type Turn } from "./group.ts";

export interface MembershipSettings {
  readonly topics: readonly string[];
  readonly groupId: string;
  readonly options: ConsumerOptions;
  readonly session: Map<string, unknown>;
  /** Ends everything that waits. */
  readonly signal: AbortSignal;
  readonly failed: (error: unknown) => void;
  /** A generation ends: the group shares out anew, or it has gone on without us. Said once, before `untilTurn` resolves. */
  readonly turned: (turn: Turn) => void;
}

const MEMBER = "kafka member";

/** One generation of a consumer group after the other: joins, keeps the member alive, notices when it is over. */
export class Membership {
  readonly member: GroupMember;
  private readonly client: KafkaClient;
  private readonly s: MembershipSettings;
  private turn: ((turn: Turn) => void) | undefined;
  /** Ends the heartbeats of the generation. */
  private beating = new AbortController();
  /** Partitions of each topic, as far as the leader of the group has shared out. */
  private counts: ReadonlyMap<string, number> = new Map();
  /** The topics that it shares out: those of all members. */
  private shared: readonly string[];

  constructor(client: KafkaClient, settings: MembershipSettings) {
    this.client = client;
    this.s = settings;
    const { session, groupId, topics, options } = settings;
    this.shared = topics;
    this.member = new GroupMember(client, {
      groupId,
      topics,
      options,
      counts: async (wanted) => {
        this.shared = wanted;
        return (this.counts = await this.countPartitions());
      },
      memberId: (session.get(MEMBER) as string | undefined) ?? "",
      remember: (memberId) => session.set(MEMBER, memberId),
    });
  }

  /** Joins the group, or joins it again. Rejects when that takes longer than `limitMs`. */
  async join(limitMs?: number): Promise<Joined> {
    if (limitMs === undefined) return this.member.join();
    const { groupId } = this.s;
    const enough = new AbortController();
    const late = sleep(this.client.clock, limitMs, enough.signal).then((isFull) => {
      if (!isFull) return new Promise<never>(() => {});
      throw kafkaErrors.GROUP_FAILED({ group: groupId, what: "be joined", reason: `not within ${limitMs} ms` });
    });
    try {
      return await Promise.race([this.member.join(), late]);
    } finally {
      enough.abort();
    }
  }

  /** Heartbeats go on until the group shares out anew, or has lost this member, and after that until `stopBeating`. */
  untilTurn(): Promise<Turn> {
    const turned = new Promise<Turn>((resolve) => {
      this.turn = resolve;
    });
    this.beating = new AbortController();
    const signal = AbortSignal.any([this.beating.signal, this.s.signal]);
    this.beat(signal).catch(this.s.failed);
    this.lookForPartitions(signal).catch(this.s.failed);
    return turned;
  }

  /** Ends the generation, whoever has noticed it. */
  end(turn: Turn): void {
    const end = this.turn;
    this.turn = undefined;
    this.s.turned(turn);
    end?.(turn);
  }

  stopBeating(): void {
    this.beating.abort();
  }

  private async beat(signal: AbortSignal): Promise<void> {
    while (await sleep(this.client.clock, this.s.options.heartbeatMs, signal)) {
      const turn = await this.member.heartbeat();
      if (turn && !signal.aborted) this.end(turn);
      if (turn === "lost") return;
    }
  }

  /** The leader of the group notices partitions that were added, and has them shared out. */
  private async lookForPartitions(signal: AbortSignal): Promise<void> {
    while (await sleep(this.client.clock, this.s.options.metadataMaxAgeMs, signal)) {
      if (!this.member.isLeader) continue;
      const now = await this.countPartitions();
      if (!signal.aborted && [...now].some(([topic, count]) => this.counts.get(topic) !== count)) this.end("rebalance");
    }
  }

  /** A broker that has just started may not know a topic: what was counted before stands. */
  private async countPartitions(): Promise<ReadonlyMap<string, number>> {
    const { topics, signal } = this.s;
    const infos = await this.client.topics(this.shared);
    const counts = new Map<string, number>();
    for (const topic of this.shared) {
      const seen = infos.get(topic)?.leaders.length ?? 0;
      let count = seen > 0 ? seen : (this.counts.get(topic) ?? 0);
      // Of a topic that only others want and nobody knows there is nothing to share out yet.
      if (count === 0 && topics.includes(topic))
        count = (await findTopicAgain(this.client, topic, "input", signal)).leaders.length;
      if (count > 0) counts.set(topic, count);
    }
    return counts;
  }
}
