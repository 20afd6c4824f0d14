import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Clock, StateStore } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { type CdcConfig, sourceName } from "./config.ts";
import { parsePlace } from "./place.ts";

/** How far the rows of the tables were acked, where they are read first. */
export type Progress =
  | { readonly done: true }
  | {
      /** The place of the state in which they were read first: changes behind it come from the log. */
      readonly position: string;
      /** The last row: its table and key. */
      readonly schema: string;
      readonly table: string;
      readonly key: string;
      readonly rows: number;
    };

/** Where the log was read to. `server`: whose log it is; unknown where somebody has set the position. */
export interface StoredPlace {
  readonly text: string;
  readonly base: string;
  readonly place: bigint;
  readonly updatedAt: number;
  readonly server: string | undefined;
}

interface Envelope {
  readonly mqb_checkpoint: 1;
  readonly source: string;
  readonly value: string;
  readonly updated_at_ms: number;
}

/** The position, in a state store. */
export class Positions {
  readonly source: string;
  private readonly store: StateStore;
  private readonly id: string;
  private readonly clock: Pick<Clock, "now">;
  /** What stands beside the position, as far as this one has written it. */
  private server: string | undefined;

  constructor(store: StateStore, config: CdcConfig, clock: Pick<Clock, "now">) {
    this.store = store;
    this.id = sourceName(config);
    this.source = sourceOf(config);
    this.clock = clock;
  }

  async readPlace(): Promise<StoredPlace | undefined> {
    const found = await this.read(this.key);
    if (!found) return undefined;
    const parsed = parsePlace(found.value);
    if (!parsed) throw errors.CHECKPOINT({ id: this.id, reason: `"${found.value}" is no position (file:byte)` });
    const server = (await this.read(`${this.key}:server`))?.value;
    return { ...parsed, text: found.value, updatedAt: found.updated_at_ms, server };
  }

  async writePlace(text: string, server: string): Promise<void> {
    const isNew = this.server !== server;
    await this.write([this.key, text], ...(isNew ? [[`${this.key}:server`, server] as const] : []));
    this.server = server;
  }

  async readProgress(): Promise<Progress | undefined> {
    const found = await this.read(`${this.key}:backfill`);
    if (!found) return undefined;
    try {
      return JSON.parse(found.value) as Progress;
    } catch (cause) {
      throw errors.CHECKPOINT({ id: this.id, reason: "how far the tables were read is no JSON" }, { cause });
    }
  }

  writeProgress(progress: Progress): Promise<void> {
    return this.write([`${this.key}:backfill`, JSON.stringify(progress)]);
  }

  async clear(): Promise<void> {
    await this.store.deleteMany([this.key, `${this.key}:server`, `${this.key}:backfill`]);
    this.server = undefined;
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private get key(): string {
    return `mysql_cdc:${this.id}`;
  }

  private async read(key: string): Promise<Envelope | undefined> {
    const [entry] = await this.store.getMany([key]);
    if (!entry) return undefined;
    let envelope: Partial<Envelope>;
    try {
      envelope = JSON.parse(Buffer.from(entry.value).toString("utf8")) as Partial<Envelope>;
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
  return `mysql_cdc:${sourceName(config)}`;
}
