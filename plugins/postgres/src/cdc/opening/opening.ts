import type { OpenContext } from "@mqb/core/plugin";
import type pg from "pg";
import { target as targetOf } from "../../client/url.ts";
import { UserTypes } from "../../user-types.ts";
import { type CdcConfig, slotOf } from "../config.ts";
import { Positions, type Progress, storeUrl } from "../position/positions.ts";
import { connect, cut, disconnect } from "../server/connection.ts";
import { refused } from "../server/refused.ts";
import { PROGRESS } from "./session.ts";

/** What is opened on the way to a consumer, and is given back where that fails. */
export class Opening {
  readonly config: CdcConfig;
  readonly context: OpenContext;
  readonly target: string;
  readonly slot: string;
  /** The second place of the position, where there is one. */
  positions: Positions | undefined;
  /** Of the columns of the tables, as far as they are not built in. */
  readonly types: UserTypes = new UserTypes();
  private readonly clients = new Set<pg.Client>();

  constructor(config: CdcConfig, context: OpenContext) {
    this.config = config;
    this.context = context;
    this.target = targetOf(config.url);
    this.slot = slotOf(config);
  }

  async openPositions(): Promise<void> {
    const { config, context } = this;
    const { checkpoint_store: store } = config;
    if (store == null) return;
    this.positions = new Positions(await context.openStore(storeUrl(store, context.baseDir)), config, context.clock);
  }

  /** Work on a connection of its own, while the others are busy. */
  async aside<T>(work: (client: pg.Client) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { config, context, target } = this;
    const client = await connect(config, { path: context.path, baseDir: context.baseDir, signal }, false);
    try {
      return await work(client);
    } catch (error) {
      throw refused(error, target);
    } finally {
      await disconnect(client);
    }
  }

  async connected(replication: boolean): Promise<pg.Client> {
    const client = await connect(this.config, this.context, replication);
    this.clients.add(client);
    return client;
  }

  async ended(client: pg.Client): Promise<void> {
    await disconnect(client);
    this.clients.delete(client);
  }

  /** It is the consumer's from here on. */
  handOver(client: pg.Client): void {
    this.clients.delete(client);
  }

  cut(): void {
    for (const client of this.clients) cut(client);
  }

  async giveUp(): Promise<void> {
    this.cut();
    await this.positions?.close();
  }

  /** Whether messages carry their positions. */
  get stamps(): boolean {
    return this.context.positions || this.config.source_metadata === true;
  }

  async progress(): Promise<Progress | undefined> {
    return (this.context.session.get(PROGRESS) as Progress | undefined) ?? (await this.positions?.readProgress());
  }

  async save(progress: Progress): Promise<void> {
    this.context.session.set(PROGRESS, progress);
    await this.positions?.writeProgress(progress);
  }
}
