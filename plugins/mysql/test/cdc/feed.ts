import { readFileSync } from "node:fs";
import { type Message, slabBatch } from "@mqb/core/plugin";
import { ChangeFields, ChangeIds, ChangeLog } from "@mqb/sql";
import { Columns } from "../../src/cdc/columns.ts";
import { Decoder } from "../../src/cdc/decode/decoder.ts";
import type { Table } from "../../src/cdc/decode/row-writer.ts";
import type { TableMap } from "../../src/cdc/decode/table-map.ts";
import { namesIn } from "../../src/cdc/names.ts";
import type { Session } from "../../src/client/session.ts";

/** Events as a server has sent them, one behind the other; each says how long it is. */
export function recorded(name: string): Buffer[] {
  const bytes = readFileSync(new URL(`./streams/${name}.bin`, import.meta.url));
  const events: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32LE(at + 9);
    events.push(bytes.subarray(at, at + size));
    at += size;
  }
  return events;
}

const COLLATIONS = [
  ["8", "latin1"],
  ["45", "utf8mb4"],
  ["46", "utf8mb4"],
  ["63", "binary"],
];

/** Answers what is asked about columns. `types`: what the catalog says, by their names. */
function answering(types: Readonly<Record<string, string>>): Session {
  return {
    isMariaDb: true,
    async query(sql: string) {
      if (/\bCOLUMNS\b/.test(sql)) return { rows: Object.entries(types).map(([name, type]) => [name, type, null]) };
      if (/\bCOLLATIONS\b/.test(sql)) return { rows: COLLATIONS };
      if (/MAXLEN/.test(sql)) return { rows: [["1"]] };
      if (/CONVERT/.test(sql)) return { rows: [[String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i))]] };
      return { rows: [] };
    },
  } as unknown as Session;
}

/** Reads events as the source does, without a server. */
export class Feed {
  readonly log: ChangeLog = new ChangeLog(0n);
  readonly decoder: Decoder;
  readonly warned: string[] = [];
  readonly unseen: string[] = [];
  private readonly columns = new Columns();
  private readonly session: Session;
  private readonly tables = new Map<TableMap, Table>();

  constructor(options: { readonly splitsKeyChange?: boolean; readonly types?: Readonly<Record<string, string>> } = {}) {
    this.session = answering(options.types ?? {});
    const host = {
      wants: () => true,
      tableOf: (map: TableMap) => this.tables.get(map),
      forget: () => this.tables.clear(),
      unseen: (reason: string) => void this.unseen.push(reason),
      warn: (message: string) => void this.warned.push(message),
    };
    this.decoder = new Decoder(this.log, host, {
      isMariaDb: true,
      hasChecksums: true,
      splitsKeyChange: options.splitsKeyChange ?? false,
      file: 1,
      byte: 4,
    });
  }

  async event(bytes: Buffer): Promise<void> {
    // Behind other bytes, as in a packet.
    this.decoder.event(Buffer.concat([Buffer.from([0]), bytes]), 1, bytes.length + 1);
    const { unknown } = this.decoder;
    if (!unknown) return;
    this.decoder.unknown = undefined;
    this.tables.set(unknown, await this.columns.resolve(this.session, unknown, "here"));
  }

  async all(events: readonly Buffer[]): Promise<this> {
    for (const event of events) await this.event(event);
    return this;
  }

  take(): Message[] {
    const messages: Message[] = [];
    for (let taken = this.log.take(1000); taken; taken = this.log.take(1000)) {
      const { chunk, from, to } = taken;
      const slab = {
        bytes: chunk.bytes,
        starts: chunk.starts.subarray(from, to),
        ends: chunk.ends.subarray(from, to),
        terminator: Buffer.from("\n"),
      };
      const options = {
        ids: new ChangeIds("fnv1a"),
        names: namesIn("binlog"),
        source: "s",
        stamps: true,
        isSnapshot: false,
      };
      messages.push(...slabBatch(slab, new ChangeFields(chunk, from, options)));
      this.log.ack(taken, to);
    }
    return messages;
  }
}
