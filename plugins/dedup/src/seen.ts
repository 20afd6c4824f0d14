import type { Message } from "@mqb/core/plugin";
import { Holder } from "./holder.ts";
import { answerFrame, FRAME_HEADER_SIZE, KEY_SIZE, Kind, keysFrame, seal } from "./log/frame.ts";
import type { Log, StoredAnswer } from "./log/log.ts";
import { Found, type Table } from "./table/table.ts";

/** What became of the new messages of a delivery. */
export interface Fate {
  /** 1 = not accepted, by position; undefined = all were. */
  readonly failed: Uint8Array | undefined;
  /** The replies that were given, by position. */
  readonly answers: ReadonlyMap<number, Message> | undefined;
  /** Until when the accepted ones are remembered, Unix milliseconds. */
  readonly expiresAt: number;
}

/** The keys of one place, with those that hold them now; what all routes share that name it. */
export class Seen {
  /** For the hash of the keys. */
  readonly seed: Uint8Array;
  readonly table: Table<StoredAnswer | Message>;
  private readonly log: Log | undefined;
  private readonly holders = new Map<number, Holder>();
  private lastHolder = 0;

  constructor(seed: Uint8Array, table: Table<StoredAnswer | Message>, log?: Log) {
    this.seed = seed;
    this.table = table;
    this.log = log;
  }

  /** A holder for up to `count` messages, which are then taken without anything between. */
  begin(count: number, now: number): Holder {
    this.table.tidy(now);
    const id = ++this.lastHolder;
    const holder = new Holder(id, this.table.begin(count));
    this.holders.set(id, holder);
    return holder;
  }

  /** Takes a key, whose words begin at `from`, for the holder unless it is known; returns one of `Found`. */
  take(holder: Holder, words: Uint32Array, now: number, from = 0): number {
    const found = this.table.reserve(words, now, holder.id, from);
    if (found === Found.nothing) holder.count++;
    return found;
  }

  /** Who has the key of the last `take` that found it in flight. */
  get inFlightWith(): Holder {
    return this.holders.get(this.table.foundHolder)!;
  }

  /** The entry that the last `take` has found. */
  get foundNumber(): number {
    return this.table.foundNumber;
  }

  /**
   * Remembers what was accepted and frees the other keys. With a log the promise resolves when it is stored; when that
   * fails, all keys are free again.
   */
  settle(holder: Holder, fate: Fate): Promise<void> | undefined {
    const frames = this.log && framesOf(this.table, holder, fate);
    if (!frames) {
      this.apply(holder, fate, fate.answers);
      return undefined;
    }
    return this.store(holder, fate, frames);
  }

  /** Frees all keys of a holder: its messages come again. */
  release(holder: Holder): void {
    if (holder.isSettled) return;
    for (let i = 0; i < holder.count; i++) this.table.release(holder.first + i);
    this.end(holder, new Uint8Array(holder.count).fill(1));
  }

  /** The stored reply to the message of an entry. */
  async answer(number: number): Promise<Message | undefined> {
    const answer = this.table.answers.get(number);
    return answer && "segment" in answer ? await this.log?.answer(answer) : answer;
  }

  async close(): Promise<void> {
    await this.log?.close();
  }

  private async store(holder: Holder, fate: Fate, frames: readonly Buffer[]): Promise<void> {
    let written: StoredAnswer;
    try {
      written = await this.log!.append(frames, fate.expiresAt);
    } catch (error) {
      this.release(holder);
      throw error;
    }
    if (holder.isSettled) this.learn(frames[0]!, fate.expiresAt);
    else this.apply(holder, fate, placesOf(fate, frames, written));
  }

  /** Keys that were given up while they were being stored: their messages come again, and are duplicates. */
  private learn(frame: Buffer, expiresAt: number): void {
    const words = new Uint32Array(4);
    for (let at = FRAME_HEADER_SIZE; at < frame.length; at += KEY_SIZE) {
      for (let i = 0; i < 4; i++) words[i] = frame.readUInt32LE(at + 4 * i);
      this.table.load(words, expiresAt);
    }
  }

  private apply(holder: Holder, fate: Fate, answers: ReadonlyMap<number, StoredAnswer | Message> | undefined): void {
    const { table } = this;
    const { first, count } = holder;
    const { failed, expiresAt } = fate;
    for (let i = 0; i < count; i++) if (failed?.[i] !== 1) table.accept(first + i, expiresAt);
    if (failed) for (let i = 0; i < count; i++) if (failed[i] === 1) table.release(first + i);
    for (const [at, answer] of answers ?? [])
      table.answers.set(first + at, "segment" in answer ? answer : answer.detach());
    this.end(holder, failed);
  }

  private end(holder: Holder, failed: Uint8Array | undefined): void {
    this.holders.delete(holder.id);
    holder.settle(failed);
  }
}

/** The keys that were accepted, and behind them the answers, as frames; undefined when there are none. */
function framesOf(table: Table, { first, count }: Holder, { failed, answers, expiresAt }: Fate): Buffer[] | undefined {
  let accepted = count;
  if (failed) for (let i = 0; i < count; i++) accepted -= failed[i]!;
  if (accepted === 0) return undefined;
  const frame = keysFrame(accepted);
  if (!failed) table.copyEntries(first, count, frame.words, 0);
  else {
    let at = 0;
    for (let i = 0; i < count; i++) if (failed[i] !== 1) table.copyEntries(first + i, 1, frame.words, 6 * at++);
  }
  for (let i = 0; i < accepted; i++) frame.doubles[3 * i + 2] = expiresAt;
  const frames = [seal(frame.bytes, Kind.keys)];
  const words = new Uint32Array(4);
  for (const [position, answer] of answers ?? []) {
    table.copyKey(first + position, words, 0);
    frames.push(answerFrame(words, expiresAt, answer));
  }
  return frames;
}

/** Where the answers lie in the log. */
function placesOf(
  { answers }: Fate,
  frames: readonly Buffer[],
  { segment, from }: StoredAnswer,
): ReadonlyMap<number, StoredAnswer> | undefined {
  if (!answers) return undefined;
  let at = from + frames[0]!.length;
  let next = 1;
  const places = new Map<number, StoredAnswer>();
  for (const position of answers.keys()) {
    const end = at + frames[next++]!.length;
    places.set(position, { segment, from: at, to: end });
    at = end;
  }
  return places;
}
