import { codeOf, sleep } from "@mqb/core/plugin";
import { CODE, nameOf, refusal } from "../classify.ts";
import type { BrokerConnection } from "../client/broker.ts";
import type { KafkaClient } from "../client/client.ts";
import { kafkaErrors } from "../errors.ts";
import { groupBy } from "../group-by.ts";
import type { ConsumerOptions, Strategy } from "../options/consumer.ts";
import {
  type Assignment,
  assign,
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from "./assignment.ts";

export interface Joined {
  readonly assignment: Assignment;
  /** The membership went on without a gap: nobody else can have had what is still assigned. */
  readonly goesOn: boolean;
}

export interface CommittedOffset {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Why a generation ended: the group shares out anew, or it has gone on without us. */
export type Turn = "rebalance" | "lost";

export interface GroupSettings {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly options: ConsumerOptions;
  /** How many partitions each of the topics has now. */
  readonly counts: (topics: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The member id of before a reconnect: with it the group does not wait for the old member. */
  readonly memberId: string;
  readonly remember: (memberId: string) => void;
}

const PAUSE_MS = 200;
const TRIES = 150;
const GONE: ReadonlySet<number> = new Set([CODE.ILLEGAL_GENERATION, CODE.UNKNOWN_MEMBER_ID, CODE.FENCED_INSTANCE_ID]);
const ELSEWHERE: ReadonlySet<number> = new Set([
  CODE.NOT_COORDINATOR,
  CODE.COORDINATOR_NOT_AVAILABLE,
  CODE.COORDINATOR_LOAD_IN_PROGRESS,
]);
const UNFIT: ReadonlySet<number> = new Set([
  CODE.INCONSISTENT_GROUP_PROTOCOL,
  CODE.INVALID_GROUP_ID,
  CODE.INVALID_SESSION_TIMEOUT,
  CODE.GROUP_MAX_SIZE_REACHED,
]);

interface JoinAnswer {
  readonly errorCode: number;
  readonly generationId: number;
  readonly groupProtocol: string;
  readonly leaderId: string;
  readonly memberId: string;
  readonly members: readonly { readonly memberId: string; readonly memberMetadata: Buffer }[];
}

/** A member of a consumer group: joins, stays alive, commits, leaves. One call at a time, except for commits. */
export class GroupMember {
  generation = -1;
  memberId: string;
  /** The leader shares out: it looks for new partitions. */
  isLeader = false;
  private readonly client: KafkaClient;
  private readonly s: GroupSettings;
  private readonly leaving = new AbortController();
  private coordinator: BrokerConnection | undefined;

  constructor(client: KafkaClient, settings: GroupSettings) {
    this.client = client;
    this.s = settings;
    this.memberId = settings.memberId;
  }

  /**
   * Joins, or joins again, until there is an assignment. May take as long as the other members take. A broker that does not
   * answer for as long as a session lasts is asked anew: a connection may be dead without a word. Rejects with a `connection`
   * error where it cannot be reached, and where all of it takes longer than a rebalance may.
   */
  async join(): Promise<Joined> {
    const [memberBefore, generationBefore] = [this.memberId, this.generation];
    const { clock } = this.client;
    const latest = clock.monotonic() + this.s.options.rebalanceTimeoutMs;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const broker = await this.findCoordinator();
      try {
        const assignment = await this.joinThrough(broker);
        if (!assignment) continue;
        const goesOn = this.memberId === memberBefore && this.generation === generationBefore + 1;
        return { assignment, goesOn };
      } catch (error) {
        if (!isUnanswered(error) || this.leaving.signal.aborted || clock.monotonic() > latest) throw error;
        this.coordinator = undefined;
      }
    }
    throw this.failed("be joined", "it did not come to rest");
  }

  /** Says that the member is alive. Undefined = the generation goes on. */
  async heartbeat(): Promise<Turn | undefined> {
    const broker = await this.findCoordinator();
    const { errorCode: code } = await broker.request<{ readonly errorCode: number }>("Heartbeat", {
      groupId: this.s.groupId,
      groupGenerationId: this.generation,
      memberId: this.memberId,
    });
    if (code === 0) return undefined;
    if (code === CODE.REBALANCE_IN_PROGRESS) return "rebalance";
    if (GONE.has(code)) return "lost";
    if (ELSEWHERE.has(code)) {
      this.coordinator = undefined;
      return undefined;
    }
    throw refusal(code, `the consumer group "${this.s.groupId}"`) ?? this.failed("stay alive", nameOf(code));
  }

  /** Commits positions of this generation. Undefined = they are taken. */
  async commit(offsets: readonly CommittedOffset[]): Promise<Turn | undefined> {
    const topics = [...groupBy(offsets, ({ topic }) => topic)].map(([topic, those]) => ({
      topic,
      partitions: those.map(({ partition, offset }) => ({ partition, offset: `${offset}`, metadata: null })),
    }));
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const broker = await this.findCoordinator();
      const { responses } = await broker.request<{
        readonly responses: readonly { readonly partitions: readonly { readonly errorCode: number }[] }[];
      }>("OffsetCommit", {
        groupId: this.s.groupId,
        groupGenerationId: this.generation,
        memberId: this.memberId,
        topics,
      });
      const codes = responses.flatMap(({ partitions }) => partitions.map(({ errorCode }) => errorCode));
      const code = codes.find((one) => one !== 0) ?? 0;
      if (code === 0) return undefined;
      if (code === CODE.REBALANCE_IN_PROGRESS) return "rebalance";
      if (GONE.has(code)) return "lost";
      const refused = refusal(code, `the consumer group "${this.s.groupId}" to commit`);
      if (refused) throw refused;
      if (!ELSEWHERE.has(code)) throw this.failed("commit", nameOf(code));
      this.coordinator = undefined;
      await this.pause();
    }
    throw this.failed("commit", "its coordinator does not settle");
  }

  /** Leaves, so that the others need not wait for this member. Gives up when it takes too long. */
  async leave(limitMs: number): Promise<void> {
    this.leaving.abort();
    if (this.memberId === "") return;
    const done = new AbortController();
    const left = this.sayGoodbye().then(
      () => this.s.remember(""),
      () => {},
    );
    await Promise.race([left, sleep(this.client.clock, limitMs, done.signal)]);
    done.abort();
  }

  private async sayGoodbye(): Promise<void> {
    const { groupId } = this.s;
    // A connection on which a join waits does not answer.
    if (this.isJoining) this.coordinator?.close();
    const broker = await this.client.coordinator("group", groupId, new AbortController().signal);
    await broker.request("LeaveGroup", { groupId, memberId: this.memberId });
  }

  private isJoining = false;

  private async joinThrough(broker: BrokerConnection): Promise<Assignment | undefined> {
    this.isJoining = true;
    try {
      const answer = await this.askToJoin(broker);
      return answer && (await this.sync(broker, answer));
    } finally {
      this.isJoining = false;
    }
  }

  private async askToJoin(broker: BrokerConnection): Promise<JoinAnswer | undefined> {
    const { groupId, topics, options } = this.s;
    const { sessionTimeoutMs, rebalanceTimeoutMs, strategies } = options;
    const metadata = encodeSubscription(topics);
    const call = {
      groupId,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      memberId: this.memberId,
      protocolType: "consumer",
      groupProtocols: strategies.map((name) => ({ name, metadata })),
    };
    const answer = await broker.request<JoinAnswer>("JoinGroup", call, sessionTimeoutMs);
    const { errorCode: code } = answer;
    if (code === 0) {
      this.setMember(answer.memberId);
      return answer;
    }
    if (code === CODE.MEMBER_ID_REQUIRED) this.setMember(answer.memberId);
    else if (GONE.has(code)) this.setMember("");
    else if (ELSEWHERE.has(code)) {
      this.coordinator = undefined;
      await this.pause();
    } else if (UNFIT.has(code)) throw kafkaErrors.GROUP_REFUSED({ group: groupId, reason: nameOf(code) });
    else if (code !== CODE.REBALANCE_IN_PROGRESS)
      throw refusal(code, `the consumer group "${groupId}"`) ?? this.failed("be joined", nameOf(code));
    return undefined;
  }

  private async sync(broker: BrokerConnection, joined: JoinAnswer): Promise<Assignment | undefined> {
    const { groupId } = this.s;
    this.isLeader = joined.leaderId === joined.memberId;
    const shares = this.isLeader ? await this.shareOut(joined) : [];
    const answer = await broker.request<{ readonly errorCode: number; readonly memberAssignment: Buffer | null }>(
      "SyncGroup",
      {
        groupId,
        generationId: joined.generationId,
        memberId: joined.memberId,
        groupAssignment: shares,
      },
      this.s.options.sessionTimeoutMs,
    );
    const { errorCode: code } = answer;
    if (code === 0) {
      this.generation = joined.generationId;
      return decodeAssignment(answer.memberAssignment ?? Buffer.alloc(0));
    }
    if (GONE.has(code)) this.setMember("");
    else if (ELSEWHERE.has(code)) {
      this.coordinator = undefined;
      await this.pause();
    } else if (code !== CODE.REBALANCE_IN_PROGRESS)
      throw refusal(code, `the consumer group "${groupId}"`) ?? this.failed("share out its partitions", nameOf(code));
    return undefined;
  }

  private async shareOut(joined: JoinAnswer): Promise<{ memberId: string; memberAssignment: Buffer }[]> {
    const members = joined.members.map(({ memberId, memberMetadata }) => ({
      id: memberId,
      topics: decodeSubscription(memberMetadata),
    }));
    const wanted = new Set(members.flatMap(({ topics }) => topics));
    const shares = assign(joined.groupProtocol as Strategy, members, await this.s.counts([...wanted]));
    return [...shares].map(([memberId, share]) => ({ memberId, memberAssignment: encodeAssignment(share) }));
  }

  private async findCoordinator(): Promise<BrokerConnection> {
    if (!this.coordinator || this.coordinator.isLost)
      this.coordinator = await this.client.coordinator("group", this.s.groupId, this.leaving.signal);
    return this.coordinator;
  }

  private setMember(memberId: string): void {
    this.memberId = memberId;
    this.s.remember(memberId);
  }

  private async pause(): Promise<void> {
    if (!(await sleep(this.client.clock, PAUSE_MS, this.leaving.signal))) throw kafkaErrors.CLOSED({ what: "input" });
  }

  private failed(what: string, reason: string): Error {
    return kafkaErrors.GROUP_FAILED({ group: this.s.groupId, what, reason });
  }
}

function isUnanswered(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly name?: unknown } };
  return codeOf(error) === kafkaErrors.REQUEST_FAILED.code && cause?.name === "KafkaJSRequestTimeoutError";
}
