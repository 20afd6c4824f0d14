import { CODE, nameOf, refusal } from "../classify.ts";
import type { CommittedOffset, Turn } from "../consumer/group.ts";
import { kafkaErrors } from "../errors.ts";
import { RD, type RdkafkaConsumerHandle, type RdkafkaError } from "./driver.ts";

const GONE: readonly number[] = [CODE.ILLEGAL_GENERATION, CODE.UNKNOWN_MEMBER_ID, CODE.FENCED_INSTANCE_ID];

/** Commits of a member of a group, one at a time. */
export class RdkafkaCommits {
  private readonly handle: RdkafkaConsumerHandle;
  private readonly groupId: string;
  private told: ((error: RdkafkaError | undefined) => void) | undefined;

  constructor(handle: RdkafkaConsumerHandle, groupId: string) {
    this.handle = handle;
    this.groupId = groupId;
    handle.on("offset.commit", (error: RdkafkaError | undefined) => {
      const { told } = this;
      this.told = undefined;
      told?.(error);
    });
  }

  async commit(offsets: readonly CommittedOffset[]): Promise<Turn | undefined> {
    const error = await new Promise<RdkafkaError | undefined>((resolve) => {
      this.told = resolve;
      try {
        this.handle.commit(offsets);
      } catch (thrown) {
        resolve(thrown as RdkafkaError);
      }
    });
    if (!error || error.code === RD.NO_OFFSET) return undefined;
    const { code, message } = error;
    if (code === CODE.REBALANCE_IN_PROGRESS) return "rebalance";
    if (GONE.includes(code)) return "lost";
    const group = this.groupId;
    const reason = code > 0 ? nameOf(code) : message;
    throw (
      refusal(code, `the consumer group "${group}" to commit`) ??
      kafkaErrors.GROUP_FAILED({ group, what: "commit", reason })
    );
  }
}
