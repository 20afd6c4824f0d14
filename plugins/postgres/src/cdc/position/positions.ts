import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock, StateStore } from "@mqb/core/plugin";
import { errors } from "../../errors.ts";
import { type CdcConfig, slotOf } from "../config.ts";
import { formatLsn, parseLsn } from "../server/lsn.ts";

/** How far the rows of the published tables were acked, where they are read first. */
export type Progress =
  | { readonly done: true }
  | {
      /** Where the slot began, and with it the changes behind the rows. */
      readonly lsn: string;
      /** The last row: its table and key. */
      readonly schema: string;
      readonly table: string;
      readonly key: string;
      readonly rows: number;
    };

interface Envelope {
  readonly mqb_checkpoint: 1;
  readonly source: string;
  readonly value: string;
  readonly updated_at_ms: number;
}

/** The second place of the position: entries of a state store in the layout of the original. */
export class Positions {
  readonly source: string;
  private readonly store: StateStore;
  private readonly id: string;
  private readonly clock: Pick<Clock, "now">;
  /** What stands beside the position, as far as this one has written it. */
  private server: string | undefined;

  constructor(store: StateStore, config: CdcConfig, clock: Pick<Clock, "now">) {
    this.store = store;
    this.id = config.cursor_id ?? slotOf(config);
    this.source = sourceOf(config);
    this.clock = clock;
  }

  /** `server`: as `serverOf` names it; unknown where somebody else has written the position. */
  async readLsn(): Promise<
    { readonly lsn: bigint; readonly updatedAt: number; readonly server: string | undefined } | undefined
  > {
    const found = await this.read(this.key);
    if (!found) return undefined;
    const lsn = parseLsn(found.value);
    if (lsn === undefined) throw errors.CHECKPOINT({ id: this.id, reason: `"${found.value}" is no position (X/Y)` });
    return { lsn, updatedAt: found.updated_at_ms, server: (await this.read(this.serverKey))?.value };
  }

  async writeLsn(lsn: bigint, server: string): Promise<void> {
    const isNew = this.server !== server;
    await this.write([this.key, formatLsn(lsn)], ...(isNew ? [[this.serverKey, server] as const] : []));
    this.server = server;
  }

  async readProgress(): Promise<Progress | undefined> {
    const found = await this.read(this.backfillKey);
    if (!found) return undefined;
    try {
      return JSON.parse(found.value) as Progress;
    } catch (cause) {
      throw errors.CHECKPOINT({ id: this.id, reason: "how far the tables were read is no JSON" }, { cause });
    }
  }

  writeProgress(progress: Progress): Promise<void> {
    return this.write([this.backfillKey, JSON.stringify(progress)]);
  }

  async clear(): Promise<void> {
    await this.store.deleteMany([this.key, this.serverKey, this.backfillKey]);
    this.server = undefined;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private get key(): string {
    return `postgres_cdc:${this.id}`;
  }

  private get serverKey(): string {
    return `${this.key}:server`;
  }

  private get backfillKey(): string {
    return `${this.key}:backfill`;
  }

  private async read(key: string): Promise<Envelope | undefined> {
    const [entry] = await this.store.getMany([key]);
    if (!entry) return undefined;
    const text = Buffer.from(entry.value).toString("utf8");
    // Older ones are the bare position.
    if (!text.startsWith("{")) return { mqb_checkpoint: 1, source: this.source, value: text, updated_at_ms: 0 };
    let envelope: Partial<Envelope>;
    try {
      envelope = JSON.parse(text) as Partial<Envelope>;
    } catch (cause) {
      throw errors.CHECKPOINT({ id: this.id, reason: "it is no JSON" }, { cause });
    }
    const { source, value, updated_at_ms: at } = envelope;
    if (envelope.mqb_checkpoint !== 1 || typeof source !== "string" || typeof value !== "string")
      throw errors.CHECKPOINT({ id: this.id, reason: "it is no checkpoint of mqb" });
    if (source !== this.source)
      throw errors.CHECKPOINT({ id: this.id, reason: `it is of ${source}, not of ${this.source}` });
    return { mqb_checkpoint: 1, source, value, updated_at_ms: typeof at === "number" ? at : 0 };
  }

  private async write(...entries: readonly (readonly [key: string, value: string])[]): Promise<void> {
    const { source } = this;
    const now = this.clock.now();
    await this.store.putMany(
      entries.map(([key, value]) => {
        const envelope: Envelope = { mqb_checkpoint: 1, source, value, updated_at_ms: now };
        return { key, value: Buffer.from(JSON.stringify(envelope)) };
      }),
    );
  }
}

/** A path is a file. */
export function storeUrl(written: string, baseDir: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(written) ? written : pathToFileURL(resolve(baseDir, written)).href;
}

export function sourceOf(config: CdcConfig): string {
  return `postgres_cdc:${slotOf(config)}`;
}
