import type { MessageBatch } from "@mqb/core/plugin";
import type { KafkaClient } from "../client/client.ts";
import type { TransactionOffsets, TransactionSource } from "../transaction-source.ts";
import type { GroupMember } from "./group.ts";
import type { TransactionPositions } from "./positions.ts";

/** The input of a route as its transactional output sees it. */
export class TransactionInput implements TransactionSource {
  readonly groupId: string;
  private readonly client: KafkaClient;
  private readonly member: GroupMember;
  private readonly positions: TransactionPositions;

  constructor(groupId: string, client: KafkaClient, member: GroupMember, positions: TransactionPositions) {
    this.groupId = groupId;
    this.client = client;
    this.member = member;
    this.positions = positions;
  }

  get memberId(): string {
    return this.member.memberId;
  }

  get generation(): number {
    return this.member.generation;
  }

  get clusterId(): string | undefined {
    return this.client.clusterId;
  }

  positionsOf(batch: MessageBatch): TransactionOffsets {
    return this.positions.of(batch, this.groupId);
  }

  settledPositions(): TransactionOffsets {
    return this.positions.settled();
  }
}
