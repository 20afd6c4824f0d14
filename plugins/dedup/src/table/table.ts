import { CHUNK_BITS, CHUNK_MASK, CHUNK_SIZE, Chunk, ENTRY_DOUBLES, ENTRY_WORDS, EXPIRY } from "./chunk.ts";
import { Index } from "./index.ts";

/** What `reserve` found. */
export const Found = { nothing: 0, accepted: 1, inFlight: 2 } as const;

/** Entries have numbers from 1 to below this; then they begin anew. */
const NUMBERS = 2 ** 32 - 1;

/**
 * Which keys were seen: those of messages that were accepted, until they expire, and those of messages in flight, with
 * who holds them. Keys are hashes of 128 bits. About 40 bytes a key, no object and no text for any of them. Entries
 * have consecutive numbers in the order in which they were made, and go in that order.
 */
export class Table<Answer = unknown> {
  /** Beyond this many the entries that were made longest ago go first. */
  maxKeys: number;
  /** Keys that are known, expired ones that are not found yet included. */
  size = 0;
  /** The number of what the last `reserve` found, and of an entry in flight its holder. */
  foundNumber = 0;
  foundHolder = 0;
  /** What was answered to the message of an entry, by its number; goes with the entry. */
  readonly answers = new Map<number, Answer>();
  /** Called when an entry had to go before it has expired. */
  onEvicted: (() => void) | undefined;
  private readonly chunks = new Array<Chunk | undefined>(2 ** 32 / CHUNK_SIZE);
  private readonly index = new Index((number) => this.chunks[number >>> CHUNK_BITS]);
  private readonly key = new Uint32Array(4);
  private head = 1;
  private next = 1;

  constructor(maxKeys: number = Number.POSITIVE_INFINITY) {
    this.maxKeys = maxKeys;
  }

  /** The number that the next new entry gets; those of `count` entries made in a row follow each other. */
  begin(count: number): number {
    if (this.next + count >= NUMBERS) this.next = 1;
    return this.next;
  }

  /**
   * Takes a key, whose four words begin at `from`, for a holder (a number from 0) unless it is known. Returns one of
   * `Found`; with `nothing` a new entry in flight was made.
   */
  reserve(words: Uint32Array, now: number, holder: number, from = 0): number {
    const number = this.index.find(words, from);
    if (number > 0) {
      const chunk = this.chunks[number >>> CHUNK_BITS]!;
      const expiry = chunk.doubles[expiryAt(number)]!;
      if (expiry < 0) {
        this.foundNumber = number;
        this.foundHolder = -expiry - 1;
        return Found.inFlight;
      }
      if (expiry > now) {
        this.foundNumber = number;
        return Found.accepted;
      }
      if (expiry > 0) this.end(chunk, number);
    }
    this.index.set(words, from, this.add(words, from, -(holder + 1)));
    return Found.nothing;
  }

  /** The message of the entry was accepted: its key counts as seen until then (Unix milliseconds). */
  accept(number: number, expiresAt: number): void {
    this.chunks[number >>> CHUNK_BITS]!.doubles[expiryAt(number)] = expiresAt;
  }

  /** The message of the entry was not accepted: its key is free. */
  release(number: number): void {
    const { index, key } = this;
    this.copyKey(number, key, 0);
    if (index.find(key, 0) === number) index.remove();
    this.end(this.chunks[number >>> CHUNK_BITS]!, number);
    // What is released again and again must not pile up behind a key that lives long.
    while (this.next !== this.head && this.next > 1 && this.expiryOf(this.next - 1) === 0) this.next--;
  }

  /** A key from elsewhere, accepted already. A key that is known lives until the later end. Returns its entry. */
  load(words: Uint32Array, expiresAt: number): number {
    const known = this.index.find(words, 0);
    if (known > 0) {
      const { doubles } = this.chunks[known >>> CHUNK_BITS]!;
      const at = expiryAt(known);
      if (doubles[at]! > 0) {
        if (doubles[at]! < expiresAt) doubles[at] = expiresAt;
        return known;
      }
    }
    this.begin(1);
    const number = this.add(words, 0, expiresAt);
    this.index.set(words, 0, number);
    return number;
  }

  /** The four words of an entry's key, written to `into` from `at` on. */
  copyKey(number: number, into: Uint32Array, at: number): void {
    const { words } = this.chunks[number >>> CHUNK_BITS]!;
    const from = ENTRY_WORDS * (number & CHUNK_MASK);
    for (let i = 0; i < 4; i++) into[at + i] = words[from + i]!;
  }

  /** `count` entries in a row from `number` on, as in the log, written to `into` from `at` (of words) on. */
  copyEntries(number: number, count: number, into: Uint32Array, at: number): void {
    for (let done = 0; done < count; ) {
      const place = (number + done) & CHUNK_MASK;
      const some = Math.min(count - done, CHUNK_SIZE - place);
      const { words } = this.chunks[(number + done) >>> CHUNK_BITS]!;
      into.set(words.subarray(ENTRY_WORDS * place, ENTRY_WORDS * (place + some)), at + ENTRY_WORDS * done);
      done += some;
    }
  }

  /** Lets go of the oldest entries: those that have expired, and as many as there are too many. Called once a batch. */
  tidy(now: number): void {
    while (this.head !== this.next) {
      const number = this.head;
      const chunk = this.chunks[number >>> CHUNK_BITS];
      const expiry = chunk ? chunk.doubles[expiryAt(number)]! : 0;
      if (expiry < 0 || (expiry > now && this.size <= this.maxKeys)) return;
      if (chunk && expiry > 0) {
        if (expiry > now) this.onEvicted?.();
        this.end(chunk, number);
      }
      if ((number & CHUNK_MASK) === CHUNK_MASK) this.chunks[number >>> CHUNK_BITS] = undefined;
      this.head = chunk ? number + 1 : (number | CHUNK_MASK) + 1;
      if (this.head >= NUMBERS) this.head = 1;
    }
  }

  private add(words: Uint32Array, from: number, expiry: number): number {
    const number = this.next;
    const chunk = (this.chunks[number >>> CHUNK_BITS] ??= new Chunk());
    const at = ENTRY_WORDS * (number & CHUNK_MASK);
    for (let i = 0; i < 4; i++) chunk.words[at + i] = words[from + i]!;
    chunk.doubles[expiryAt(number)] = expiry;
    this.next = number + 1;
    this.size++;
    return number;
  }

  private end(chunk: Chunk, number: number): void {
    chunk.doubles[expiryAt(number)] = 0;
    this.size--;
    if (this.answers.size > 0) this.answers.delete(number);
  }

  private expiryOf(number: number): number {
    return this.chunks[number >>> CHUNK_BITS]?.doubles[expiryAt(number)] ?? 1;
  }
}

function expiryAt(number: number): number {
  return ENTRY_DOUBLES * (number & CHUNK_MASK) + EXPIRY;
}
