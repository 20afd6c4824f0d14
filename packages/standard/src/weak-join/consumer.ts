import {
  ACK,
  batchOf,
  type Consumer,
  type Delivery,
  type Disposition,
  type EndpointStatus,
  type InputCapabilities,
  type MiddlewareContext,
} from "@mqb/core/plugin";
import { Ahead } from "../batch/ahead.ts";
import { Pauses } from "../pause.ts";
import type { WeakJoinSettings } from "./config.ts";
import type { Group, Groups, Joined, JoinMemory } from "./groups.ts";
import { HeldBatches } from "./held.ts";
import { Joiner } from "./joined.ts";

export type JoinContext = Pick<
  MiddlewareContext<InputCapabilities>,
  "accounting" | "clock" | "draining" | "below" | "log" | "route"
>;

const NOTHING_CAME: Delivery = { batch: batchOf([]), commit: async () => {} };

/**
 * Hands on groups instead of messages. Reads at most once per call, so that a source that is busy with groups that are not
 * whole does not look silent, unless it knows its end; the end of a group's time does not end a read.
 */
export class JoinConsumer implements Consumer {
  private readonly inner: Consumer;
  private readonly settings: WeakJoinSettings;
  private readonly groups: Groups;
  private readonly context: JoinContext;
  private readonly ahead: Ahead;
  private readonly pauses: Pauses;
  private readonly held: HeldBatches;
  private readonly joiner = new Joiner();
  private readonly ready: Joined[];
  private readonly outlives: boolean;
  /** A drain has come to its end: what is not whole will not become it. */
  private ended = false;
  private told = false;
  private closed = false;

  constructor(
    inner: Consumer,
    settings: WeakJoinSettings,
    { groups, ready, outlives }: JoinMemory,
    context: JoinContext,
  ) {
    this.inner = inner;
    this.settings = settings;
    this.groups = groups;
    this.ready = ready;
    this.outlives = outlives;
    this.context = context;
    this.ahead = new Ahead(inner, context.clock, context.below);
    this.pauses = new Pauses(context.clock);
    this.held = new HeldBatches(context.below.commitsInOrder);
    // They were received by the opening before this one.
    context.accounting.receive(groups.messages + ready.length);
  }

  async receive(max: number, signal: AbortSignal): Promise<Delivery> {
    for (;;) {
      const isOver = this.ended;
      this.ended = false;
      const discarded = this.expire(isOver ? Number.POSITIVE_INFINITY : this.context.clock.monotonic());
      if (this.ready.length > 0) return this.handOn(max);
      if (discarded || signal.aborted || this.closed) return this.nothing(discarded || "held");
      const delivery = await this.read(max, signal);
      const given = delivery && (await this.absorb(delivery, max, signal));
      if (given) return given;
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.pauses.end();
    this.ahead.close();
    const { groups, ready } = this;
    if (groups.messages + ready.length > 0 && this.outlives) {
      const what = `${groups.messages} message(s) of open groups and ${ready.length} joined one(s)`;
      const why = this.settings.ack === "on_receive" ? "are acknowledged" : "are not given again by their source";
      const text = `${what} ${why}, and lost unless the input is opened again`;
      this.context.log.warn(`weak_join: ${text}`, { route: this.context.route });
    }
    await this.inner.close();
  }

  status(): EndpointStatus {
    const inner = this.inner.status?.() ?? { healthy: true, target: "" };
    const { size: open_groups, messages: open_messages } = this.groups;
    return { ...inner, details: { ...inner.details, open_groups, open_messages, joined_messages: this.ready.length } };
  }

  /** Undefined when the time of the oldest group is over first. */
  private async read(max: number, signal: AbortSignal): Promise<Delivery | undefined> {
    const { groups, ahead, context } = this;
    const deadline = groups.nextDeadline;
    if (deadline === undefined) return ahead.receive(max, signal);
    const left = deadline - context.clock.monotonic();
    if (this.isFull()) {
      await this.room(left, signal);
      return undefined;
    }
    const delivery = await ahead.within(left, max, signal);
    return delivery ?? (signal.aborted ? this.lastRead(max, signal) : undefined);
  }

  private isFull(): boolean {
    return Math.max(this.groups.bytes, this.held.bytes) >= this.settings.max_open_bytes;
  }

  /** Waits until a batch is committed, for so long at most. */
  private async room(ms: number, signal: AbortSignal): Promise<void> {
    const freed = new AbortController();
    this.held.onFreed = () => freed.abort();
    await this.pauses.wait(ms, AbortSignal.any([signal, freed.signal]));
    this.held.onFreed = undefined;
  }

  /** Tells the source to stop waiting too; what it still gives is taken. */
  private async lastRead(max: number, signal: AbortSignal): Promise<Delivery> {
    try {
      return await this.ahead.receive(max, signal);
    } catch (error) {
      if (error !== signal.reason && (error as { name?: unknown } | null)?.name !== "AbortError") throw error;
      return NOTHING_CAME;
    }
  }

  /** Undefined = there is nothing to hand on, and more is to be read. */
  private async absorb(delivery: Delivery, max: number, signal: AbortSignal): Promise<Delivery | undefined> {
    const { groups, context } = this;
    const { batch, emptied = false } = delivery;
    if (batch.length === 0 && !emptied && groups.size > 0 && context.draining) {
      this.held.add(delivery);
      // A stop ends a read in the same way; only a route that goes on reading has come to the end.
      this.ended = true;
      return signal.aborted ? this.nothing("held") : undefined;
    }
    if (this.settings.ack === "on_receive") await delivery.commit();
    const held = this.settings.ack === "on_join" ? this.held.add(delivery) : undefined;
    const now = context.clock.monotonic();
    for (let i = 0; i < batch.length; i++) {
      const group = groups.add(batch.at(i).detach(), now, held, i);
      if (group) this.join(group, true);
    }
    if (groups.withoutKey > 0 && !this.told) this.tell();
    if (this.ready.length > 0) return this.handOn(max);
    if (batch.length === 0) return this.nothing(emptied);
    return held && context.draining && context.below.bounded ? undefined : this.nothing(held ? "held" : true);
  }

  /** Ends the groups whose time is over; true when there was one that is discarded. */
  private expire(now: number): boolean {
    let discarded = 0;
    for (let group = this.groups.takeDue(now); group; group = this.groups.takeDue(now)) {
      if (this.settings.on_timeout === "fire") this.join(group, false);
      else {
        discarded += 1;
        this.settle(group, ACK);
        this.context.accounting.settle("filtered", group.members.length);
      }
    }
    if (discarded > 0)
      this.context.log.warn(`weak_join: ${discarded} group(s) were not whole in time and are discarded`, {
        route: this.context.route,
      });
    return discarded > 0;
  }

  private join(group: Group, isWhole: boolean): void {
    const { branch_by } = this.settings;
    const message = branch_by == null ? this.joiner.byCount(group) : this.joiner.byBranch(group, isWhole);
    this.ready.push({ message, group });
    // One message goes on in the place of all of them.
    this.context.accounting.settle("filtered", group.members.length - 1);
  }

  private handOn(max: number): Delivery {
    const given = this.ready.splice(0, max);
    return {
      batch: batchOf(given.map(({ message }) => message)),
      commit: (dispositions) => {
        given.forEach(({ group }, i) => {
          this.settle(group, dispositions?.[i] ?? ACK);
        });
        return this.held.commitSettled();
      },
    };
  }

  private nothing(emptied: Delivery["emptied"]): Delivery {
    const commit = (): Promise<void> => this.held.commitSettled();
    return emptied ? { batch: batchOf([]), emptied, commit } : { batch: batchOf([]), commit };
  }

  /** Every member ends as the joined message did. */
  private settle({ members }: Group, disposition: Disposition): void {
    for (const { held, index } of members) if (held) this.held.settle(held, index, disposition);
  }

  private tell(): void {
    this.told = true;
    const text = `weak_join: messages without the metadata "${this.settings.group_by}" are joined with each other`;
    this.context.log.warn(text, { route: this.context.route });
  }
}
