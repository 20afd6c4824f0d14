import type { Message } from "@mqb/core/plugin";
import type { WeakJoinSettings } from "./config.ts";
import type { Held } from "./held.ts";

/** What a message costs besides its payload. */
const OVERHEAD_BYTES = 256;
const NO_KEY = "default";

/** A message that waits for the others of its group. */
export interface Member {
  readonly message: Message;
  readonly branch: string;
  /** The batch of the source that it came in, and where; undefined when that is acknowledged already. */
  held: Held | undefined;
  readonly index: number;
}

export interface Group {
  readonly members: Member[];
  readonly deadline: number;
  readonly branches: Set<string>;
  /** Messages, or branches, without which it is not whole. */
  missing: number;
  bytes: number;
}

/** A group that has become one message. */
export interface Joined {
  readonly message: Message;
  readonly group: Group;
}

/** What a weak_join keeps. */
export interface JoinMemory {
  readonly groups: Groups;
  /** Not handed on yet. */
  readonly ready: Joined[];
  /** It is kept over a reconnect: nobody else has the messages. */
  readonly outlives: boolean;
}

/** What becomes of the members is of no interest to anybody any more. */
export function forgetBatches(group: Group): void {
  for (const member of group.members) member.held = undefined;
}

/** The groups that are not whole yet, the oldest first. All wait equally long, so the oldest is the next to time out. */
export class Groups {
  private readonly settings: WeakJoinSettings;
  private readonly byKey = new Map<string, Group>();
  private readonly required: ReadonlySet<string>;
  /** Messages, and bytes, of all open groups. */
  messages = 0;
  bytes = 0;
  /** Messages that did not say what group they belong to. */
  withoutKey = 0;

  constructor(settings: WeakJoinSettings) {
    this.settings = settings;
    this.required = new Set(settings.required);
  }

  get size(): number {
    return this.byKey.size;
  }

  get nextDeadline(): number | undefined {
    for (const { deadline } of this.byKey.values()) return deadline;
    return undefined;
  }

  /** Adds a message; returns its group when that is whole now, and forgets it. */
  add(message: Message, now: number, held: Held | undefined, index: number): Group | undefined {
    const { group_by, branch_by, timeout_ms } = this.settings;
    const given = message.metadata.get(group_by);
    if (given === undefined) this.withoutKey += 1;
    const key = given ?? NO_KEY;
    let group = this.byKey.get(key);
    if (!group) this.byKey.set(key, (group = this.begin(now + timeout_ms)));
    const branch = branch_by == null ? "" : (message.metadata.get(branch_by) ?? NO_KEY);
    group.members.push({ message, branch, held, index });
    if (branch_by == null || this.isNew(group, branch)) group.missing -= 1;
    const size = message.payload.length + OVERHEAD_BYTES;
    group.bytes += size;
    this.bytes += size;
    this.messages += 1;
    return group.missing <= 0 ? this.remove(key, group) : undefined;
  }

  forgetBatches(): void {
    for (const group of this.byKey.values()) forgetBatches(group);
  }

  /** Takes out the oldest group when its time is over by then. */
  takeDue(now: number): Group | undefined {
    for (const [key, group] of this.byKey) return group.deadline <= now ? this.remove(key, group) : undefined;
    return undefined;
  }

  private begin(deadline: number): Group {
    const { branch_by, expected_count } = this.settings;
    const byName = branch_by != null && this.required.size > 0;
    return {
      members: [],
      deadline,
      branches: new Set(),
      missing: byName ? this.required.size : expected_count,
      bytes: 0,
    };
  }

  /** Whether it is the first message of a branch that counts. */
  private isNew({ branches }: Group, branch: string): boolean {
    if (branches.has(branch)) return false;
    branches.add(branch);
    return this.required.size === 0 || this.required.has(branch);
  }

  private remove(key: string, group: Group): Group {
    this.byKey.delete(key);
    this.bytes -= group.bytes;
    this.messages -= group.members.length;
    return group;
  }
}
