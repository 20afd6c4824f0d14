import { readFileSync } from "node:fs";
import { type Message, slabBatch } from "@mqb/core/plugin";
import { ChangeFields, ChangeIds, ChangeLog } from "@mqb/sql";
import { Decoder } from "../../src/cdc/decode/decoder.ts";
import { Spools } from "../../src/cdc/decode/spool.ts";
import { NAMES } from "../../src/cdc/names.ts";
import { Frames } from "../../src/cdc/stream/frames.ts";
import { type UserType, UserTypes } from "../../src/user-types.ts";

/** What a server has sent, as it was recorded: data messages of a stream, each with its head. */
export function recorded(name: string): Buffer {
  return readFileSync(new URL(`./streams/${name}.bin`, import.meta.url));
}

/** Reads streams as the source does, without a server. */
export class Feed {
  readonly log: ChangeLog = new ChangeLog(0n);
  readonly spools: Spools;
  readonly decoder: Decoder;
  private readonly frames = new Frames();
  private readonly ids = new ChangeIds("fnv1a");
  private readonly types = new UserTypes();
  private readonly catalog: ReadonlyMap<number, UserType>;

  /** `catalog`: what it says of types that are not built in. */
  constructor(
    options: {
      readonly splitsKeyChange?: boolean;
      readonly folder?: string;
      readonly catalog?: ReadonlyMap<number, UserType>;
    } = {},
  ) {
    const failed = (error: unknown): never => {
      throw error;
    };
    this.spools = new Spools({ failed, drained: () => {} }, options.folder);
    this.decoder = new Decoder(this.log, this.spools, options.splitsKeyChange ?? false, this.types);
    this.catalog = options.catalog ?? new Map();
  }

  async push(chunk: Buffer): Promise<void> {
    this.frames.push(chunk);
    while (this.frames.next()) {
      const { bytes, start, end } = this.frames;
      if (bytes[start] !== 119) continue;
      await this.message(bytes, start + 25, end);
    }
  }

  async message(bytes: Buffer, at = 0, end = bytes.length): Promise<void> {
    this.decoder.message(bytes, at, end);
    this.answer();
    const { replay } = this.decoder;
    if (!replay) return;
    this.decoder.beginReplay(replay);
    for await (const { bytes: kept, ranges } of replay.spool.messages()) {
      for (let i = 0; i < ranges.length; i += 2) {
        this.decoder.replayed(kept, ranges[i]!, ranges[i + 1]!);
        this.answer();
      }
      this.log.release(replay.lsn);
    }
    this.decoder.endReplay(replay);
  }

  private answer(): void {
    for (const { type } of this.decoder.asks?.columns ?? []) this.types.learn(type, this.catalog.get(type));
    this.decoder.answered();
  }

  /** Everything that is ready, as messages. */
  take(): Message[] {
    const messages: Message[] = [];
    for (let taken = this.log.take(1000); taken; taken = this.log.take(1000)) {
      const { chunk, from, to } = taken;
      const slab = { bytes: chunk.bytes, starts: chunk.starts.subarray(from, to), ends: chunk.ends.subarray(from, to) };
      const options = { ids: this.ids, names: NAMES, source: "s", stamps: true, isSnapshot: false };
      messages.push(...slabBatch(slab, new ChangeFields(chunk, from, options)));
      this.log.ack(taken, to);
    }
    return messages;
  }

  static async all(...chunks: readonly Buffer[]): Promise<Message[]> {
    const feed = new Feed();
    for (const chunk of chunks) await feed.push(chunk);
    return feed.take();
  }
}

/** As text: the operation, the key and the payload. */
export function said(message: Message): string {
  const { metadata } = message;
  const more = ["postgres.old_key", "postgres.unchanged"]
    .map((name) => metadata.get(name))
    .filter((one) => one !== undefined);
  return [metadata.get("postgres.operation"), metadata.get("postgres.key") ?? "-", ...more, message.text()].join(" ");
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

function numbers(...parts: readonly (readonly [bits: 8 | 16 | 32 | 64, value: number])[]): Buffer {
  return Buffer.concat(
    parts.map(([bits, value]) => {
      const out = Buffer.alloc(8);
      out.writeBigUInt64BE(BigInt(value));
      return out.subarray(8 - bits / 8);
    }),
  );
}

/** Messages of pgoutput, made by hand. */
export const pgoutput = {
  begin: (): Buffer => Buffer.concat([Buffer.from("B"), numbers([64, 1], [64, 0], [32, 7])]),
  commit: (end: number): Buffer =>
    Buffer.concat([Buffer.from("C"), numbers([8, 0], [64, end - 8], [64, end], [64, 0])]),
  relation: (oid: number, columns: readonly (readonly [name: string, type: number, isKey: boolean])[]): Buffer =>
    Buffer.concat([
      Buffer.from("R"),
      numbers([32, oid]),
      text("public"),
      text("t"),
      numbers([8, 100], [16, columns.length]),
      ...columns.map(([name, type, isKey]) =>
        Buffer.concat([numbers([8, isKey ? 1 : 0]), text(name), numbers([32, type], [32, 0])]),
      ),
    ]),
  insert: (oid: number, values: readonly (string | null | Buffer)[]): Buffer =>
    Buffer.concat([Buffer.from("I"), numbers([32, oid]), Buffer.from("N"), tuple(values)]),
  update: (
    oid: number,
    values: readonly (string | null | Buffer | undefined)[],
    old?: readonly [kind: "K" | "O", values: readonly (string | null)[]],
  ): Buffer =>
    Buffer.concat([
      Buffer.from("U"),
      numbers([32, oid]),
      ...(old ? [Buffer.from(old[0]), tuple(old[1])] : []),
      Buffer.from("N"),
      tuple(values),
    ]),
};

function tuple(values: readonly (string | null | Buffer | undefined)[]): Buffer {
  const parts = values.map((value) => {
    if (value === null) return Buffer.from("n");
    if (value === undefined) return Buffer.from("u");
    const bytes = Buffer.from(value as string);
    return Buffer.concat([Buffer.from("t"), numbers([32, bytes.length]), bytes]);
  });
  return Buffer.concat([numbers([16, values.length]), ...parts]);
}
