import type { Logger, MessageBatch } from "@mqb/core/plugin";
import type { Folder } from "../folder.ts";
import type { Writer } from "../result.ts";
import { type Held, hold } from "../states/held.ts";
import type { States } from "../states/states.ts";
import type { Table } from "../states/table.ts";
import type { Mode, Ran } from "./mode.ts";

/** States that live in this process and nowhere else. */
export class InMemory implements Mode, States {
  private readonly folder: Folder;
  private readonly writer: Writer;
  private readonly tables: readonly Table[];
  private readonly log: Logger;
  private warned = false;

  /** `tables` outlive a reconnect of the route. */
  constructor(folder: Folder, writer: Writer, tables: readonly Table[], log: Logger) {
    this.folder = folder;
    this.writer = writer;
    this.tables = tables;
    this.log = log;
  }

  async run(batch: MessageBatch): Promise<Ran> {
    const ran = this.writer.run(this.folder.fold(batch, this));
    for (const table of this.tables) if (table.shrink() > 0) this.warn();
    return ran;
  }

  find(entry: number, key: string): Held | undefined {
    return this.tables[entry]!.find(key);
  }

  set(entry: number, key: string, held: Held | undefined, state: unknown): void {
    // The same key may have been new to an earlier entry of the message only: each entry has its own table.
    if (held) held.state = state;
    else this.tables[entry]!.add(key, hold("", state, null));
  }

  async close(): Promise<void> {}

  private warn(): void {
    if (this.warned) return;
    this.warned = true;
    this.log.warn(
      "aggregate has more keys than max_keys: the states of those that were used least recently are forgotten and begin anew",
    );
  }
}
