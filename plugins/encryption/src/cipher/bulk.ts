import type { CipherName, Key } from "./key.ts";
import {
  AT_AAD,
  AT_AAD_END,
  AT_END,
  AT_NONCE,
  AT_OUT,
  AT_START,
  HASH_KEY,
  HEADER,
  IN,
  IN_END,
  KEY,
  LOAD_MAX,
  MEMORY_BYTES,
  NONCE,
  OUT,
  OUT_END,
  SLOT_WORDS,
  SLOTS,
  STREAMS,
} from "./layout.ts";
import { instantiate, type Loops } from "./wasm.ts";

/** Payloads up to so many bytes are worth it; a call of node:crypto for each is faster on longer ones. */
export const SMALL: Readonly<Record<CipherName, number>> = { xchacha20poly1305: 8192, aes256gcm: 2048 };

/**
 * Encrypts many small messages with one call: XChaCha20-Poly1305 as a whole, of AES-GCM what is not AES. It is loaded with pieces of a batch, runs, and what came out is
 * copied from it. One for all of a bridge: nobody else comes between, since nothing here waits.
 */
export class Bulk {
  readonly memory: Buffer;
  private readonly words: Uint32Array;
  private readonly loops: Loops;
  /** Messages that are loaded. */
  private count = 0;
  private at = IN;
  /** Bytes that can still come out. */
  private room = OUT_END - OUT;
  /** Whose tables for GHASH stand in the memory. */
  private hashed: Key | undefined;

  private constructor(memory: ArrayBuffer, loops: Loops) {
    this.memory = Buffer.from(memory, 0, MEMORY_BYTES);
    this.words = new Uint32Array(memory);
    this.loops = loops;
  }

  /** Undefined where there is no WebAssembly with SIMD. */
  static make(): Bulk | undefined {
    const made = instantiate();
    return made && new Bulk(made.memory, made.loops);
  }

  /** Forgets what was loaded. */
  clear(): void {
    this.count = 0;
    this.at = IN;
    this.room = OUT_END - OUT;
  }

  /** Whether one more message fits: `bytes` to be loaded for it, `out` to come out. */
  fits(bytes: number, out: number): boolean {
    return this.count < LOAD_MAX && this.at + bytes <= IN_END && out <= this.room;
  }

  /** Loads bytes; returns their address. */
  load(bytes: Uint8Array): number {
    const { at } = this;
    this.memory.set(bytes, at);
    this.at = at + bytes.length;
    return at;
  }

  /** Where the next bytes are loaded to. */
  get end(): number {
    return this.at;
  }

  /** Somebody has written bytes to `memory` himself, from `end` to this address. */
  extend(to: number): void {
    this.at = to;
  }

  /** A message at `start` to `end`, by address; of an envelope also where its nonce begins. Returns its number. */
  add(start: number, end: number, nonce: number, out: number): number {
    const slot = SLOTS / 4 + this.count * SLOT_WORDS;
    this.words[slot + AT_START] = start;
    this.words[slot + AT_END] = end;
    this.words[slot + AT_NONCE] = nonce;
    this.room -= out;
    return this.count++;
  }

  /** What message `number` binds, by address. */
  bind(number: number, start: number, end: number): void {
    const slot = SLOTS / 4 + number * SLOT_WORDS;
    this.words[slot + AT_AAD] = start;
    this.words[slot + AT_AAD_END] = end;
  }

  /** Seals what is loaded. Counts the nonce up. Returns a view of the envelopes. */
  seal(cipher: CipherName, key: Key, header: Buffer, nonce: Buffer, binds: boolean): Buffer {
    const { memory, loops, count } = this;
    memory.set(header, HEADER);
    memory.set(nonce, NONCE);
    let end: number;
    if (cipher === "aes256gcm") {
      this.makeStreams(key, false);
      end = loops.sealGcm(count, SLOTS, OUT, header.length, Number(binds), STREAMS);
    } else {
      this.useKey(key);
      end = loops.seal(count, SLOTS, OUT, header.length, Number(binds));
    }
    memory.copy(nonce, 0, NONCE, NONCE + nonce.length);
    return memory.subarray(OUT, end);
  }

  /** Opens what is loaded. Returns a view of the payloads; `opened` says where each begins in it. */
  open(cipher: CipherName, key: Key, binds: boolean): Buffer {
    const { memory, loops, count } = this;
    let end: number;
    if (cipher === "aes256gcm") {
      this.makeStreams(key, true);
      end = loops.openGcm(count, SLOTS, OUT, Number(binds), STREAMS);
    } else {
      this.useKey(key);
      end = loops.open(count, SLOTS, OUT, Number(binds));
    }
    return memory.subarray(OUT, end);
  }

  /** Where the payload of message `number` begins in what `open` gave; -1 when it is not authentic. */
  opened(number: number): number {
    const at = this.words[SLOTS / 4 + number * SLOT_WORDS + AT_OUT]!;
    return at === 0 ? -1 : at - OUT;
  }

  private useKey(key: Key): void {
    key.copyTo(this.memory, KEY);
    this.loops.rekey();
  }

  /** Has AES encipher the counter blocks of all messages at once. */
  private makeStreams(key: Key, opening: boolean): void {
    const { memory, loops } = this;
    if (this.hashed !== key) {
      memory.set(key.hashKey(), HASH_KEY);
      loops.hashKey();
      this.hashed = key;
    }
    const end = loops.counters(this.count, SLOTS, STREAMS, Number(opening));
    memory.set(key.encipherBlocks(memory.subarray(STREAMS, end)), STREAMS);
  }
}
