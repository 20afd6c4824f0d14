import type { AccountingSnapshot } from "@mqb/core";
import type { Message, MessageBatch } from "@mqb/core/plugin";
import type { Trial } from "./registry.ts";

/** A message as it is shown. */
export interface ShownMessage {
  readonly id: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** As text; what is no UTF-8 in base64. */
  readonly payload: string;
  readonly encoding: "utf8" | "base64";
}

export interface MessageReport {
  readonly before: ShownMessage;
  /** What each sink would have been given, by where it stands in the route. */
  readonly after: readonly { readonly sink: string; readonly type: string; readonly message: ShownMessage }[];
  /** delivered, filtered, deduplicated, dead-lettered, dropped, … */
  readonly fate: string;
  readonly reason?: string;
}

interface Open {
  readonly before: ShownMessage;
  readonly counts: AccountingSnapshot;
  readonly after: MessageReport["after"][number][];
  reason?: string;
}

const FATES = [
  ["filtered", "filtered"],
  ["deduplicated", "deduplicated"],
  ["deadLettered", "dead-lettered"],
  ["dropped", "dropped"],
  ["nacked", "given back to the source"],
  ["replied", "replied"],
  ["delivered", "delivered"],
] as const;

/** Follows one message after another through a route that takes them one at a time. */
export class Fates implements Trial {
  private readonly reports: MessageReport[] = [];
  private current: Open | undefined;
  private counts: () => AccountingSnapshot = () => ({}) as AccountingSnapshot;
  private limit = Number.POSITIVE_INFINITY;
  private enough: () => void = () => {};

  watch(counts: () => AccountingSnapshot, limit: number, enough: () => void): void {
    this.counts = counts;
    this.limit = limit;
    this.enough = enough;
  }

  read(batch: MessageBatch): void {
    this.close();
    if (batch.length === 0) return;
    if (this.reports.length >= this.limit) {
      this.enough();
      return;
    }
    this.current = { before: shown(batch.at(0)), counts: this.counts(), after: [] };
    if (this.reports.length + 1 >= this.limit) this.enough();
  }

  written(batch: MessageBatch, path: string, type: string): void {
    for (const message of batch) this.current?.after.push({ sink: path, type, message: shown(message) });
  }

  /** Something was logged as a warning or an error while the message was on its way. */
  explain(message: string): void {
    if (this.current) this.current.reason ??= message;
  }

  finish(): readonly MessageReport[] {
    this.close();
    return this.reports;
  }

  private close(): void {
    const { current } = this;
    if (!current) return;
    this.current = undefined;
    const now = this.counts();
    const fate = FATES.find(([key]) => now[key] > current.counts[key])?.[1];
    const { before, after, reason } = current;
    const otherwise = after.length > 0 ? "delivered" : "not decided";
    this.reports.push({ before, after, fate: fate ?? otherwise, ...(reason === undefined ? {} : { reason }) });
  }
}

function shown(message: Message): ShownMessage {
  const bytes = Buffer.from(message.payload);
  const text = bytes.toString("utf8");
  const encoding = Buffer.from(text).equals(bytes) ? "utf8" : "base64";
  return {
    id: message.id,
    metadata: Object.fromEntries([...message.metadata].filter(([key]) => key !== "__proto__")),
    payload: encoding === "utf8" ? text : bytes.toString("base64"),
    encoding,
  };
}
