import { createHash } from "node:crypto";
import type { Clock, MessageBatch } from "@mqb/core/plugin";
import { FieldKind, type JsonPath } from "@mqb/json";
import type { Key } from "./key.ts";
import type { Kind } from "./kinds/kind.ts";
import { Output } from "./output.ts";
import type { Reading } from "./reading.ts";
import type { Held } from "./states/held.ts";
import type { States } from "./states/states.ts";

/** One aggregate: its key, how its states are computed, and where the result goes. */
export interface Entry {
  readonly into: string;
  readonly path: JsonPath;
  readonly key: Key;
  readonly kind: Kind;
  readonly previous: boolean;
  /** Of the first step of `into` in the payload. */
  readonly slot: number;
  /** Of the objects on the way to `into`: a payload that has something else there cannot be folded. */
  readonly way: readonly number[];
}

export interface FoldRules {
  readonly onError: "drop" | "fail" | "skip";
  /** Of the field that holds the message's time; -1 = the clock gives it. */
  readonly timeSlot: number;
  readonly readOnly: boolean;
  readonly clock: Clock;
}

/**
 * What became of each message and entry of a batch. Lists of entries begin at `index * entries`. A message with a reason
 * has changed no state, unless entries may be left out (`skip`).
 */
export interface Folded {
  readonly batch: MessageBatch;
  /** Results as JSON, in no order. */
  readonly shown: Output;
  /** Where each result lies; an end of 0 = the entry is left out. */
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  /** 1 = older than the newest message of its key; undefined = none is. */
  late: Uint8Array | undefined;
  /** Why a message, or an entry of it, could not be folded; of several entries the first. */
  readonly reasons: (string | undefined)[];
  /** What the payload holds at the first step of each `into`: a `FieldKind`. */
  readonly kinds: Uint8Array;
}

/** Longer keys are hashed: the number of states in memory is bounded, and so must be their keys. */
const LONGEST_KEY = 255;

/** Folds batches into states, message by message and in their order. */
export class Folder {
  readonly entries: readonly Entry[];
  private readonly reading: Reading;
  private readonly rules: FoldRules;
  private readonly timed: boolean;
  /** Of the message that is being folded, by entry. */
  private readonly next: unknown[];
  private readonly held: (Held | undefined)[];
  private readonly own: (string | undefined)[];
  /** Of one batch at a time. */
  private readonly shown = new Output(0);
  private now = 0;
  private reason = "";

  constructor(entries: readonly Entry[], reading: Reading, rules: FoldRules) {
    this.entries = entries;
    this.reading = reading;
    this.rules = rules;
    this.timed = entries.some(({ kind }) => kind.timed);
    this.next = new Array<unknown>(entries.length);
    this.held = new Array<Held | undefined>(entries.length);
    this.own = new Array<string | undefined>(entries.length);
  }

  /** The keys of all messages and entries; undefined = it has none, and cannot be folded. */
  keys(batch: MessageBatch): (string | undefined)[] {
    const { entries, reading } = this;
    const count = entries.length;
    const keys = new Array<string | undefined>(batch.length * count);
    reading.begin(batch);
    for (let index = 0; index < batch.length; index++) {
      reading.turnTo(index);
      for (let e = 0; e < count; e++) keys[index * count + e] = reading.isObject ? this.key(e) : undefined;
    }
    return keys;
  }

  /** `keys` are those of `keys`, when they have been read already. */
  fold(batch: MessageBatch, states: States, keys?: readonly (string | undefined)[]): Folded {
    const size = batch.length * this.entries.length;
    this.shown.length = 0;
    const folded: Folded = {
      batch,
      shown: this.shown,
      from: new Uint32Array(size),
      to: new Uint32Array(size),
      late: undefined,
      reasons: new Array<string | undefined>(batch.length),
      kinds: new Uint8Array(size),
    };
    this.begin(batch);
    for (let index = 0; index < batch.length; index++) this.one(index, folded, states, keys);
    return folded;
  }

  /** Folds again those messages into one entry whose keys are in `again`, after their states have been read again. */
  refold(
    folded: Folded,
    e: number,
    again: ReadonlySet<string>,
    states: States,
    keys: readonly (string | undefined)[],
  ): void {
    const { reading, entries, rules } = this;
    this.begin(folded.batch);
    for (let index = 0; index < folded.batch.length; index++) {
      const at = index * entries.length + e;
      const key = keys[at];
      // What was left out, or rejected, has changed no state.
      if (key === undefined || !again.has(key) || folded.to[at] === 0) continue;
      if (folded.reasons[index] !== undefined && rules.onError !== "skip") continue;
      reading.turnTo(index);
      const held = states.find(e, key);
      if (this.compute(e, held?.state, folded, at)) states.set(e, key, held, this.next[e]);
      else folded.reasons[index] ??= this.reason;
    }
  }

  private begin(batch: MessageBatch): void {
    this.reading.begin(batch);
    if (this.timed && this.rules.timeSlot < 0) this.now = this.rules.clock.now() / 1000;
  }

  private one(index: number, folded: Folded, states: States, keys: readonly (string | undefined)[] | undefined): void {
    const { reading, entries, rules } = this;
    const count = entries.length;
    const from = index * count;
    reading.turnTo(index);
    if (!reading.isObject) {
      folded.reasons[index] = "the payload is not a JSON object";
      return;
    }
    let reason: string | undefined;
    for (let e = 0; e < count; e++) {
      const at = from + e;
      folded.kinds[at] = reading.kind(entries[e]!.slot);
      const key = (this.own[e] = keys ? keys[at] : this.key(e));
      if (key === undefined) {
        reason ??= `its key for "${entries[e]!.into}" has no value`;
        continue;
      }
      const held = (this.held[e] = states.find(e, key));
      if (!this.compute(e, held?.state, folded, at)) reason ??= this.reason;
    }
    if (reason !== undefined) {
      folded.reasons[index] = reason;
      if (rules.onError !== "skip") return;
    }
    if (rules.readOnly) return;
    for (let e = 0; e < count; e++) {
      if (folded.to[from + e]! > 0) states.set(e, this.own[e]!, this.held[e], this.next[e]);
    }
  }

  /** Computes `next[e]` and writes what the message carries. False = it cannot be, and `reason` says why. */
  private compute(e: number, before: unknown, folded: Folded, at: number): boolean {
    const { kind, previous } = this.entries[e]!;
    const { reading, now } = this;
    const { shown } = folded;
    const { timeSlot } = this.rules;
    const time = kind.timed && timeSlot >= 0 ? reading.time(timeSlot) : now;
    const mark = shown.length;
    folded.to[at] = 0;
    if (time === undefined) {
      this.reason = `the field ${reading.name(timeSlot)} is missing or no time`;
      return false;
    }
    if (!this.hasRoom(e)) return false;
    const after = kind.fold(reading, before, time);
    const newKey = previous && before === undefined;
    if (after !== undefined) {
      this.next[e] = after;
      if (newKey) shown.text("null");
      if (newKey || kind.show(reading, previous ? before : after, previous ? time : undefined, shown)) {
        folded.from[at] = mark;
        folded.to[at] = shown.length;
        if (kind.late) (folded.late ??= new Uint8Array(folded.to.length))[at] = 1;
        return true;
      }
    }
    shown.length = mark;
    this.reason = kind.reason;
    return false;
  }

  /** Whether the objects on the way to `into` are some. */
  private hasRoom(e: number): boolean {
    const { way, into } = this.entries[e]!;
    const { reading } = this;
    for (let i = 0; i < way.length; i++) {
      const found = reading.kind(way[i]!);
      if (found === FieldKind.absent || found === FieldKind.object) continue;
      this.reason = `the field ${reading.name(way[i]!)} is no object that "${into}" could be written into`;
      return false;
    }
    return true;
  }

  private key(e: number): string | undefined {
    const key = this.entries[e]!.key(this.reading);
    if (key === undefined || key === "") return undefined;
    if (key.length <= LONGEST_KEY) return key;
    return `#${createHash("sha256").update(key).digest("base64url")}`;
  }
}
